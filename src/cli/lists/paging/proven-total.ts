import { endpoints } from '../../../api/endpoints.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { InputOf } from '../../../api/operations.ts'
import type { Client } from '../../../client/client.ts'
import { listSentFilters, requireFiltered } from '../../filter/sent-filters.ts'
import type { Item } from '../../output/views/views.ts'
import { isRound, readTotal } from './list-total.ts'
import type { PageQuery } from './page-size.ts'
import { type ListName, readItems } from './paged-list.ts'

/** Minimum number of items to request for checking a filter. */
const samplePage = 100

interface ProofOptions {
  limit?: number
  /** Maximum number of items to request at a time. */
  pageSize?: number | undefined
  /** True to verify only round totals, at which services may stop counting. */
  trustsUnrounded?: boolean
}

/**
 * Determines the number of items. May request the last item, because some services cap the total or count
 * other items.
 * @returns no `count` if the number is uncertain
 */
export async function proveTotal<N extends ListName>(
  client: Client,
  name: N,
  input: InputOf<N>,
  { limit = 1, pageSize = Number.POSITIVE_INFINITY, trustsUnrounded = false }: ProofOptions = {},
): Promise<{ count?: number; hasTotal: boolean }> {
  const { query = {} } = input as { query?: object }
  // A page of items reveals an ignored filter.
  const sample = listSentFilters(name, query).length > 0 ? Math.max(limit, samplePage) : limit
  const first = Math.min(sample, pageSize)
  const fetchCounts = async (page: PageQuery) => {
    const response = await client.call(name, { ...input, query: { ...query, ...page } })
    const items = readItems(endpoints[name].result, response)
    requireFiltered(name, query, items)
    return { total: readTotal(readResponseValue(response) as Item), count: items.length }
  }
  const { total, count } = await fetchCounts({ limit: first })
  const hasTotal = total !== undefined
  if (count < Math.min(limit, first) && (total ?? count) === count) return { count, hasTotal }
  if (!hasTotal || count === 0 || total <= count) return { hasTotal }
  if (trustsUnrounded && !isRound(total)) return { count: total, hasTotal }
  // With one item at a time, a second item after the last one would stay unnoticed.
  if (pageSize < 2) return { hasTotal }
  const last = await fetchCounts({ limit: 2, offset: total - 1 })
  return last.count === 1 && last.total === total ? { count: total, hasTotal } : { hasTotal }
}
