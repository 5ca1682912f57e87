import type { Answer } from '../../api/client.ts'
import { defined } from '../../api/defined.ts'
import type { Seen } from '../../api/standing.ts'
import { ApiError } from '../../errors.ts'

/** Which part of a list is asked for. */
export interface PageQuery {
  limit?: number
  offset?: number
}

/** Items per request, unless the user says otherwise. */
export const usualPageSize = 1000
/** What a service that refuses more is asked for, one after the other. */
const smallerSizes = [100, 30]

/**
 * Asks for a page, and for a smaller one where the service refuses so many items at once: the document does not say how
 * many it allows (section 8). Pagers take a page that is smaller than they asked for.
 * @param seen keeps the size that the service allows, for the rest of the run
 */
export async function fetchPage(
  fetch: (query: PageQuery) => Promise<Answer>,
  { limit, offset }: PageQuery,
  seen: Seen,
): Promise<Answer> {
  const first = limit && Math.min(limit, seen.pageSize ?? limit)
  const smaller = first !== undefined && first > 100 ? [...smallerSizes] : []
  for (let size = first; ; size = smaller.shift())
    try {
      const answer = await fetch(defined({ limit: size, offset }))
      if (size !== undefined && size !== first) seen.pageSize = size
      return answer
    } catch (error) {
      if (smaller.length === 0 || !isRefusal(error)) throw error
    }
}

/** Whether an error may be about the number of items. A refused key and what does not exist have errors of their own. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 422)
}
