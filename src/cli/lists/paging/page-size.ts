import { omitUndefined } from '../../../api/defined.ts'
import type { Answer } from '../../../client/client.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import { ApiError } from '../../../errors.ts'

/** Which part of a list is asked for. */
export interface PageQuery {
  limit?: number
  offset?: number
}

/** Items per request, unless the user says otherwise. */
export const usualPageSize = 1000
/** Smaller sizes, tried one after the other. */
const smallerSizes = [100, 30, 10, 1]

/**
 * Requests a page, and a smaller one when the service refuses so many items: the API specification gives no maximum
 * (section 8).
 * @param seen keeps the size that the service accepts, for the rest of the run
 */
export async function fetchPage(
  fetch: (query: PageQuery) => Promise<Answer>,
  { limit, offset }: PageQuery,
  seen: ServiceFacts,
): Promise<Answer> {
  const first = limit && Math.min(limit, seen.pageSize ?? limit)
  const smaller = smallerSizes.filter((size) => first !== undefined && size < first)
  let refusal: unknown
  for (let size = first; ; size = smaller.shift())
    try {
      const answer = await fetch(omitUndefined({ limit: size, offset }))
      if (size !== undefined && size !== first) seen.pageSize = size
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The first one is about the number that was asked for.
      refusal ??= error
      if (smaller.length === 0) throw refusal
    }
}

/** Statuses with which services refuse a number of items. 500 counts when it has a JSON body (section 7). */
const refusals = new Set([400, 413, 422, 500])

/** Whether an error may be about the number of items. A refused key and a missing item have errors of their own. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && refusals.has(error.status ?? 0)
}
