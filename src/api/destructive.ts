import type { Resource } from './resource.ts'
import { resources } from './resources.ts'
import type { WireRequest } from './wire.ts'

const names = Object.values<Resource>(resources).flatMap(({ fields }) =>
  Object.keys(fields).filter((name) => fields[name]?.destructive),
)
// A quote inside a JSON string is escaped, so that text can never look like one of these fields.
const setsOne = new RegExp(`"(${names.join('|')})":true`)

/** Whether a request takes something away that people may be using: it deletes, or sets a field that does. */
export function isDestructive({ method, body }: WireRequest): boolean {
  return method === 'DELETE' || (body !== undefined && setsOne.test(body))
}
