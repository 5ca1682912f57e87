import { startTurn, type TurnScheduler } from '../common/turn-scheduler.ts'
import type { UserRow } from '../store/rows.ts'
import { canIndex, email } from './emails.ts'
import { formatOrder, type Order } from './order.ts'
import type { Reads } from './reader.ts'
import type { Store } from './store.ts'

/** Number of users read per step, which takes a few milliseconds. */
const stepUsers = 4096
/** Number of users read per step in another thread, which can stop only between steps. */
const stepUsersElsewhere = 64 * 1024
/** Number of users above which a worker thread saves more time than it takes to start. */
const minUsersForThread = 50_000
/** Maximum number of hits for which the index is faster than a scan. An index search cannot be split into steps. */
const maxHits = 5000
/** Maximum number of outdated index entries. Above it, the index is not used. */
const maxStale = 1000

/** Characters that SQLite's full-text index stores as U+FFFD. */
const foldedByIndex = /[\ud800-\udfff\ufffd-\uffff]/u

interface Search {
  text: string
  limit: number
  offset: number
}

/** Returns one page of users, newest first, with the total. Uses the index for rare texts, and scans for others. */
export async function searchEmails(store: Store, pace: TurnScheduler, { text, limit, offset }: Search) {
  await pace.next()
  const turn = startTurn(pace)
  const last = store.one<{ seq: number | null }>('SELECT max(seq) AS seq FROM users')?.seq ?? 0
  const elsewhere = last > minUsersForThread ? store.elsewhere : undefined
  const reads: Reads = elsewhere ?? store
  const step = elsewhere ? stepUsersElsewhere : stepUsers
  const { contains, value } = buildCondition(text)
  const found = await searchIndex(reads, text, canIndex(store))
  const rows: UserRow[] = []
  let total = 0
  const addHits = async (
    hits: number,
    read: (limit: number, offset: number) => UserRow[] | Promise<UserRow[]>,
  ) => {
    if (rows.length < limit && total + hits > offset)
      rows.push(...(await read(limit - rows.length, Math.max(offset - total, 0))))
    total += hits
  }
  const hits = `users WHERE seq >= ? AND seq < ? AND ${contains}`
  const read = (from: number, below: number, ...page: number[]) =>
    reads.all<UserRow & { seq: number }>(
      `SELECT * FROM ${hits} ORDER BY seq DESC LIMIT ? OFFSET ?`,
      ...[from, below, value, ...page],
    )
  let below = last + 1
  while (below > found.upTo + 1) {
    let from = Math.max(below - step, found.upTo + 1)
    if (total >= offset && rows.length < limit) {
      // Users read for the page are not counted again.
      const some = await read(from, below, limit - rows.length, 0)
      rows.push(...some)
      total += some.length
      if (rows.length === limit) from = some.at(-1)?.seq ?? from
    } else {
      const counted = await reads.one<{ count: number }>(
        `SELECT count(*) AS count FROM ${hits}`,
        ...[from, below, value],
      )
      await addHits(counted?.count ?? 0, (...page) => read(from, below, ...page))
    }
    below = await findBelow(reads, from)
    await turn()
  }
  await addHits(found.seqs.length, (limit, offset) =>
    reads.all<UserRow>(
      'SELECT * FROM users WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC',
      JSON.stringify(found.seqs.slice(offset, offset + limit)),
    ),
  )
  return { rows, total }
}

/** Skips the row numbers of deleted users. A restored workspace can have any gap. */
async function findBelow(reads: Reads, from: number): Promise<number> {
  const last = await reads.one<{ seq: number | null }>(
    'SELECT max(seq) AS seq FROM users WHERE seq < ?',
    from,
  )
  return (last?.seq ?? 0) + 1
}

/** Returns one page of users in an order, with the total. Scans all users. */
export async function searchEmailsInOrder(
  store: Store,
  { text, limit, offset, order }: Search & { order: Order },
) {
  const reads: Reads = store.elsewhere ?? store
  const { contains, value } = buildCondition(text)
  const hits = `FROM users WHERE ${contains}`
  const rows = await reads.all<UserRow>(
    `SELECT * ${hits} ${formatOrder(order)} LIMIT ? OFFSET ?`,
    ...[value, limit, offset],
  )
  const counted = await reads.one<{ total: number }>(`SELECT count(*) AS total ${hits}`, value)
  return { rows, total: counted?.total ?? 0 }
}

function buildCondition(text: string): { contains: string; value: string } {
  // LIKE needs no lowercase copy of each email, but its case folding is wrong for some non-ASCII characters.
  if (!/^[ -~]{0,1000}$/.test(text)) return { contains: `instr(lower(${email}), lower(?)) > 0`, value: text }
  return { contains: `${email} LIKE ? ESCAPE '\\'`, value: `%${text.replace(/[\\%_]/g, '\\$&')}%` }
}

interface IndexHits {
  /** The `seq` of the matching users, newest first. */
  seqs: readonly number[]
  /** The `seq` of the last user in the index; 0 when the index was not used. */
  upTo: number
}

/** Searches the trigram index. Returns no hits when the index cannot be used or there are too many hits. */
async function searchIndex(reads: Reads, text: string, indexed: boolean): Promise<IndexHits> {
  const none = { seqs: [], upTo: 0 }
  if ([...text].length < 3 || !indexed || foldedByIndex.test(text)) return none
  const upTo = (await reads.one<{ seq: number }>('SELECT emails_indexed AS seq FROM workspace'))?.seq ?? 0
  if (upTo === 0) return none
  const hits = await reads.all<{ seq: number }>(
    `SELECT rowid AS seq FROM user_emails WHERE user_emails MATCH '"' || replace(lower(?), '"', '""') || '"'
     LIMIT ${maxHits + 1}`,
    text,
  )
  if (hits.length > maxHits) return none
  const { contains, value } = buildCondition(text)
  const stale = await reads.all<{ seq: number; hit: number | null }>(
    `SELECT stale_emails.seq, ${contains} AS hit FROM stale_emails LEFT JOIN users USING (seq) LIMIT ?`,
    value,
    maxStale + 1,
  )
  if (stale.length > maxStale) return none
  const outdated = new Set(stale.map(({ seq }) => seq))
  const rematched = stale.filter(({ hit }) => hit === 1).map(({ seq }) => seq)
  const indexedHits = hits.map(({ seq }) => seq).filter((seq) => !outdated.has(seq))
  return { seqs: [...indexedHits, ...rematched].sort((a, b) => b - a), upTo }
}
