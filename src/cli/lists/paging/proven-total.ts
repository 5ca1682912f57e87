import { endpoints } from '../../../api/endpoints.ts'
import { readAnswer } from '../../../api/json.ts'
import type { Input } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import type { Client } from '../../../client/client.ts'
import type { Item } from '../../output/views/views.ts'
import type { ListName } from './list-name.ts'
import { isRound, totalOf } from './list-total.ts'
import type { PageQuery } from './page-size.ts'

/** Number of items of a list, as far as one or two requests prove it. */
interface Proof {
  /** Undefined when only the list itself shows the number. */
  count?: number
  /** The service gives a total. */
  hasTotal: boolean
}

interface ProofOptions {
  /** Number of items to request. */
  limit?: number
  /** Asks for the last item only where the total is a round number, at which services may stop counting. */
  trustsOrdinary?: boolean
}

/**
 * Asks for the number of items of a list, and for its last item: some services count only the items that they send,
 * stop counting at a maximum, or count items that they do not list.
 */
export async function provenTotal<N extends ListName>(
  client: Client,
  name: N,
  input: Input<Operations[N]>,
  { limit = 1, trustsOrdinary = false }: ProofOptions = {},
): Promise<Proof> {
  const { query } = input as { query?: object }
  const ask = async (page: PageQuery) => {
    const answer = await client.call(name, { ...input, query: { ...query, ...page } })
    const body = readAnswer(answer) as Item
    return { total: totalOf(body), count: (body[endpoints[name].result] as Item[]).length }
  }
  const { total, count } = await ask({ limit })
  const hasTotal = total !== undefined
  if (count < limit && (total ?? count) === count) return { count, hasTotal }
  if (!hasTotal || count === 0 || total <= count) return { hasTotal }
  if (trustsOrdinary && !isRound(total)) return { count: total, hasTotal }
  const last = await ask({ limit: 2, offset: total - 1 })
  return last.count === 1 && last.total === total ? { count: total, hasTotal } : { hasTotal }
}
