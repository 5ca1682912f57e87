import { type Pace, turns } from '../pace.ts'
import type { UserRow } from '../records.ts'
import { canIndex, foldedEmail, indexedUpTo } from './emails.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

/** How many users are read through in one go: a few milliseconds’ work. */
const stepUsers = 4096
/** Up to so many hits, the index is quicker than reading. It cannot go on where it has stopped. */
const mostHits = 10_000

/** The users that a search finds among some, as a SELECT of their `seq`. */
interface Hits {
  sql: string
  values: Value[]
}

/**
 * One page of the users whose e-mail contains a text, newest first, with the total. What is indexed and rare is looked
 * up; everything else is read through in steps, from the newest to the oldest.
 */
export async function searchEmails(
  store: Store,
  pace: Pace,
  { text, limit, offset }: { text: string; limit: number; offset: number },
): Promise<{ rows: UserRow[]; total: number }> {
  await pace.next()
  const turn = turns(pace)
  const indexed = isRare(store, text) ? indexedUpTo(store) : 0
  let below = (store.one<{ seq: number | null }>('SELECT max(seq) AS seq FROM users')?.seq ?? 0) + 1
  const rows: UserRow[] = []
  let total = 0
  while (below > 1) {
    const from = below > indexed + 1 ? Math.max(below - stepUsers, indexed + 1) : 1
    const { sql, values } = from > indexed ? scan(text, from, below) : lookUp(text)
    const hits = store.one<{ hits: number }>(`SELECT count(*) AS hits FROM (${sql})`, ...values)?.hits ?? 0
    if (rows.length < limit && total + hits > offset)
      rows.push(
        ...store.all<UserRow>(
          `SELECT * FROM users WHERE seq IN (${sql} ORDER BY seq DESC LIMIT ? OFFSET ?) ORDER BY seq DESC`,
          ...values,
          limit - rows.length,
          Math.max(offset - total, 0),
        ),
      )
    total += hits
    below = from
    await turn()
  }
  return { rows, total }
}

const matching = `user_emails WHERE user_emails MATCH '"' || replace(lower(?), '"', '""') || '"'`

/** Whether the index finds a text, and not often. It holds three characters at a time. */
function isRare(store: Store, text: string): boolean {
  if ([...text].length < 3 || !canIndex(store) || indexedUpTo(store) === 0) return false
  const { hits } = store.one<{ hits: number }>(
    `SELECT count(*) AS hits FROM (SELECT 1 FROM ${matching} LIMIT ${mostHits + 1})`,
    text,
  ) ?? { hits: 0 }
  return hits <= mostHits
}

const contains = `instr(${foldedEmail}, lower(?)) > 0`

function scan(text: string, from: number, below: number): Hits {
  return {
    sql: `SELECT seq FROM users WHERE seq >= ? AND seq < ? AND ${contains}`,
    values: [from, below, text],
  }
}

/** Among all that are indexed. */
function lookUp(text: string): Hits {
  return {
    sql: `SELECT rowid AS seq FROM ${matching} AND rowid NOT IN (SELECT seq FROM stale_emails)
      UNION ALL SELECT seq FROM users WHERE seq IN (SELECT seq FROM stale_emails) AND ${contains}`,
    values: [text, text],
  }
}
