import { parseBoolean } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import type { Item } from '../output/views/views.ts'

/** The field of a member that says whether the user is blocked; the document lists it in requests only. */
export const blockField = 'is_blocked'

/** The body that blocks or unblocks a member; undefined changes nothing. */
export function blockedBody<B extends boolean | undefined>(is_blocked: B): { is_blocked: B } {
  return { is_blocked }
}

/** Whether a member is blocked, or is to be; undefined where that is not told or cannot be read. */
export function isBlocked(member: object): boolean | undefined {
  const { [blockField]: told } = member as Item
  return parseBoolean(told) ?? undefined
}

/** Whether rooms of a type offer no block (rule 2). A type that the API does not list may offer it. */
export function lacksBlock(type: unknown): boolean {
  return ['open', 'public'].includes(textOf(type).toLowerCase())
}

/** What is said of a member, but for the block. */
export function withoutBlock<M extends { is_blocked?: unknown }>({
  is_blocked: _,
  ...member
}: M): Omit<M, 'is_blocked'> {
  return member
}
