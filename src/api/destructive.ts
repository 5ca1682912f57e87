import type { Resource } from './resource.ts'
import { resources } from './resources.ts'
import type { WireRequest } from './wire.ts'

const names = Object.values<Resource>(resources).flatMap(({ fields }) =>
  Object.keys(fields).filter((name) => fields[name]?.destructive),
)
// JSON escapes quotes inside strings, so that text cannot match a field.
const setsOne = new RegExp(`"(${names.join('|')})":true`)

/** Returns true when a request deletes or sets a destructive field. */
export function isDestructive({ method, body }: WireRequest): boolean {
  return method === 'DELETE' || (body !== undefined && setsOne.test(body))
}
