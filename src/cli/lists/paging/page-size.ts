import { omitUndefined } from '../../../api/defined.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import { ApiError } from '../../../errors.ts'

export interface PageQuery {
  limit?: number
  offset?: number
}

export const defaultPageSize = 1000
const smallerSizes = [100, 30, 10, 1]

/**
 * Requests a page, and reduces its size when the service refuses it. The API specification gives no maximum
 * (“Limits”).
 * @param serviceFacts stores the accepted size for the rest of the run
 */
export async function fetchPage(
  fetch: (query: PageQuery) => Promise<ResponseBody>,
  { limit, offset }: PageQuery,
  serviceFacts: ServiceFacts,
): Promise<ResponseBody> {
  const first = limit && Math.min(limit, serviceFacts.pageSize ?? limit)
  const smaller = smallerSizes.filter((size) => first !== undefined && size < first)
  let refusal: unknown
  for (let size = first; ; size = smaller.shift())
    try {
      const answer = await fetch(omitUndefined({ limit: size, offset }))
      if (size !== undefined && size !== first) serviceFacts.pageSize = size
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Only the first error concerns the requested size.
      refusal ??= error
      if (smaller.length === 0) throw refusal
    }
}

/** Statuses that may refuse a page size. A 500 counts only with a JSON body (API specification, “Errors”). */
const refusals = new Set([400, 413, 422, 500])

export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && refusals.has(error.status ?? 0)
}
