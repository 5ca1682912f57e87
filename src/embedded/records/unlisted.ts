import { readJson, writeJson } from '../../api/json.ts'
import { type ResourceName, resources } from '../../api/resources.ts'
import { damaged, invalid } from '../common/faults.ts'

/** Maximum JSON size of a record's unlisted fields, in bytes. */
const maxBytes = 64 * 1024

type UnlistedFields = Readonly<Record<string, unknown>>

export function pickUnlisted(resource: ResourceName, body: object): UnlistedFields {
  const { fields } = resources[resource]
  return Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(fields, name)))
}

/** @throws {Fault} if the JSON of the fields exceeds `maxBytes` */
export function packUnlisted(fields: UnlistedFields): string | null {
  if (Object.keys(fields).length === 0) return null
  const text = writeJson(fields)
  if (Buffer.byteLength(text) > maxBytes)
    throw invalid(`fields that the API does not list take more than ${maxBytes} bytes`)
  return text
}

export function mergeUnlisted(stored: string | null, fields: UnlistedFields): string | null {
  return packUnlisted({ ...readUnlisted(stored), ...fields })
}

/** Adds unlisted fields to a record. Fields of the record take precedence. */
export function addUnlisted<T extends object>(record: T, stored: string | null): T {
  return stored === null ? record : { ...record, ...readUnlisted(stored), ...record }
}

function readUnlisted(stored: string | null): UnlistedFields {
  return stored === null ? {} : (readStored(stored) as UnlistedFields)
}

export function readStored(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    throw damaged()
  }
}
