import { parseBoolean } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { Item } from '../output/views/views.ts'

export function toBlockBody<B extends boolean | undefined>(is_blocked: B): { is_blocked: B } {
  return { is_blocked }
}

export function isBlocked(member: object): boolean | undefined {
  const { is_blocked: value } = member as Item
  return parseBoolean(value) ?? undefined
}

/** Returns true for room types without blocking (API specification, “Endpoints”); false for unknown types. */
export const hasNoBlock = (type: unknown): boolean => ['open', 'public'].includes(toText(type).toLowerCase())

export function withoutBlock<M extends { is_blocked?: unknown }>({
  is_blocked: _,
  ...member
}: M): Omit<M, 'is_blocked'> {
  return member
}
