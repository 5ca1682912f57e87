import { isRecord } from '../../../api/guards.ts'
import type { Fields, FieldType } from '../../../api/resource.ts'
import { resources } from '../../../api/resources.ts'

function findTypes(name: string): FieldType[] {
  const tables: Fields[] = Object.values(resources).map(({ fields }) => fields)
  return tables.filter((fields) => Object.hasOwn(fields, name)).map((fields) => fields[name]?.type ?? 'text')
}

interface Change {
  changed?: readonly string[]
  values?: Readonly<Record<string, unknown>>
}

export function describeChange(body: unknown): Change {
  if (!isRecord(body)) return {}
  const changed = Object.entries(body).filter(([name]) => !/(^|_)id$/.test(name))
  if (changed.length === 0) return {}
  const recordable = changed.filter(([name, value]) =>
    findTypes(name).some((type) => isRecordable(type, value)),
  )
  return {
    changed: changed.map(([name]) => name),
    ...(recordable.length > 0 ? { values: Object.fromEntries(recordable) } : {}),
  }
}

function isRecordable(type: FieldType, value: unknown): boolean {
  return Array.isArray(type) ? type.includes(value) : type === 'boolean' && typeof value === 'boolean'
}
