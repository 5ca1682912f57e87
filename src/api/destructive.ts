import type { WireRequest } from './wire.ts'

/**
 * Whether a request takes something away that people may be using: it deletes, terminates a room or blocks a member
 * (section 4, operations 4, 5, 11 and 17).
 */
export function isDestructive({ method, body }: WireRequest): boolean {
  if (method === 'DELETE') return true
  // A quote inside a JSON string is escaped, so that text can never look like one of these fields.
  return body !== undefined && /"(is_terminated|is_blocked)":true/.test(body)
}
