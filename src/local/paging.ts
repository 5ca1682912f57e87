import { defaultLimit } from '../api/vocabulary.ts'
import { invalid } from './faults.ts'
import type { Value } from './store/sqlite.ts'
import type { Store } from './store/store.ts'

const maxLimit = 1000

interface Listing {
  /** Everything behind SELECT … FROM, up to and including WHERE. */
  from: string
  values: readonly Value[]
  paging: { limit?: number | undefined; offset?: number | undefined }
}

/**
 * One page of a table, newest first, with the total (section 2.6). With no `limit` or `offset` the defaults apply
 * (rule 6).
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

/** ISO 8601 UTC with milliseconds (section 2), null for what has not happened. */
export function timestamp(ms: number): string
export function timestamp(ms: number | null): string | null
export function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** Section 1: unencoded URLs may lead to errors. Here they do. */
export function requireEncodedUrl(field: string, url: string): void {
  if (!/^[\x21-\x7e]+$/.test(url) || /["<>\\^`{|}]|%(?![0-9a-f]{2})/i.test(url) || !URL.canParse(url))
    throw invalid(`${field}: expected a URL-encoded URL`)
}
