import { defaultLimit } from '../../api/vocabulary.ts'
import { invalid } from '../faults.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

const maxLimit = 1000

interface Listing {
  /** What follows SELECT … FROM, up to and including WHERE. */
  from: string
  values: readonly Value[]
  paging: { limit?: number | undefined; offset?: number | undefined }
}

/**
 * One page of a table, newest first, with the total (section 2.6). Without `limit` or `offset` the defaults apply
 * (rule 6).
 * @throws {Fault} when `limit` or `offset` is out of range
 */
export function listPage<Row>(store: Store, { from, values, paging }: Listing) {
  const { limit = defaultLimit, offset = 0 } = paging
  if (limit < 1 || limit > maxLimit) throw invalid(`limit: expected a number from 1 to ${maxLimit}`)
  if (offset < 0) throw invalid('offset: expected a number from 0')
  const rows = store.all<Row>(
    `SELECT * FROM ${from} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
  const total = store.one<{ total: number }>(`SELECT count(*) AS total FROM ${from}`, ...values)?.total ?? 0
  return { rows, paging: { limit, offset, total } }
}
