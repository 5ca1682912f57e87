import { readJson, writeJson } from '../../api/json.ts'
import { type ResourceName, resources } from '../../api/resources.ts'
import { damaged, invalid } from '../common/faults.ts'

/** Most bytes of JSON that the unlisted fields of one thing may take. */
const maxBytes = 64 * 1024

type Unlisted = Readonly<Record<string, unknown>>

/**
 * The fields of a body that no table lists. The service keeps them and gives them back, as the hosted one does.
 * @param body of an operation on a resource, as its schema let it pass
 */
export function unlistedIn(resource: ResourceName, body: object): Unlisted {
  const { fields } = resources[resource]
  return Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(fields, name)))
}

/**
 * Unlisted fields as they are stored, null when there are none.
 * @throws {Fault} when they are larger than 64 KB
 */
export function packUnlisted(fields: Unlisted): string | null {
  if (Object.keys(fields).length === 0) return null
  const text = writeJson(fields)
  if (Buffer.byteLength(text) > maxBytes)
    throw invalid(`fields that the API does not list take more than ${maxBytes} bytes`)
  return text
}

/** Stored unlisted fields with others in their place. */
export function mergeUnlisted(stored: string | null, fields: Unlisted): string | null {
  return packUnlisted({ ...readUnlisted(stored), ...fields })
}

/** A record with its unlisted fields behind the listed ones. */
export function withUnlisted<T extends object>(record: T, stored: string | null): T {
  return stored === null ? record : { ...record, ...readUnlisted(stored), ...record }
}

function readUnlisted(stored: string | null): Unlisted {
  if (stored === null) return {}
  try {
    return readJson(stored) as Unlisted
  } catch {
    throw damaged()
  }
}
