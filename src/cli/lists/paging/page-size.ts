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
 * Requests a page, with other sizes if the service refuses the size. The API specification gives no maximum
 * (“Limits”).
 * @param serviceFacts stores the accepted size for the rest of the run
 * @param isSizeAccepted true if a refusal has another reason
 */
export async function fetchPage(
  fetch: (query: PageQuery) => Promise<ResponseBody>,
  { limit, offset }: PageQuery,
  serviceFacts: ServiceFacts,
  { isSizeAccepted = false } = {},
): Promise<ResponseBody> {
  const { pageSize = Infinity } = serviceFacts
  const first = limit === undefined || pageSize === 0 ? undefined : Math.min(limit, pageSize)
  const fetchSize = async (size: number | undefined) => {
    const response = await fetch(omitUndefined({ limit: size, offset }))
    if (size !== first) serviceFacts.pageSize = size ?? 0
    return response
  }
  const smaller = smallerSizes.filter((size) => first !== undefined && size < first)
  let refusal: ApiError | undefined
  for (const size of [first, ...smaller])
    try {
      return await fetchSize(size)
    } catch (error) {
      if (isSizeAccepted || !isRefusal(error)) throw error
      // Only the first error concerns the requested size.
      refusal ??= error
    }
  // After a 500 response, no page without `limit` is requested, because the page may be large.
  if (first === undefined || refusal?.status === 500) throw refusal
  return fetchSize(undefined).catch(() => Promise.reject(refusal))
}

/**
 * Statuses with which services may refuse a page size. A 500 counts only with a JSON body (API specification,
 * “Errors”).
 */
const refusals = new Set([400, 413, 422, 500])

export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.status ?? 0)
}
