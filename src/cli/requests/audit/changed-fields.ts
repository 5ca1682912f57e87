import { isRecord } from '../../../api/guards.ts'
import type { Fields, FieldType } from '../../../api/resource.ts'
import { resources } from '../../../api/resources.ts'

/** The types that the resources list for a field of this name. */
function typesOf(name: string): FieldType[] {
  const tables: Fields[] = Object.values(resources).map(({ fields }) => fields)
  return tables.filter((fields) => Object.hasOwn(fields, name)).map((fields) => fields[name]?.type ?? 'text')
}

interface Change {
  /** The fields that a request writes, without those that are IDs. */
  changed?: readonly string[]
  /** The new values of booleans and roles. Other values may be private. */
  values?: Readonly<Record<string, unknown>>
}

/** What a request changes, as far as a record may tell. */
export function changeOf(body: unknown): Change {
  if (!isRecord(body)) return {}
  const changed = Object.entries(body).filter(([name]) => !/(^|_)id$/.test(name))
  if (changed.length === 0) return {}
  const told = changed.filter(([name, value]) => typesOf(name).some((type) => isTold(type, value)))
  return {
    changed: changed.map(([name]) => name),
    ...(told.length > 0 ? { values: Object.fromEntries(told) } : {}),
  }
}

function isTold(type: FieldType, value: unknown): boolean {
  return Array.isArray(type) ? type.includes(value) : type === 'boolean' && typeof value === 'boolean'
}
