import { type Pace, turns } from '../pace.ts'
import type { UserRow } from '../records.ts'
import { canIndex, foldedEmail, indexedUpTo } from './emails.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

/** How many users are looked at in one go: a few milliseconds’ work. */
const scanned = 4096
const looked = 65_536

/** The users in a range of `seq` that a search finds, as a SELECT of their `seq`. */
interface Range {
  sql: string
  values: Value[]
}

/**
 * One page of the users whose e-mail contains a text, newest first, with the total. What is indexed is looked up, the
 * rest is read through; either way in steps, from the newest to the oldest.
 */
export async function searchEmails(
  store: Store,
  pace: Pace,
  { text, limit, offset }: { text: string; limit: number; offset: number },
): Promise<{ rows: UserRow[]; total: number }> {
  const turn = turns(pace)
  await turn()
  // The index holds three characters at a time.
  const indexed = [...text].length >= 3 && canIndex(store) ? indexedUpTo(store) : 0
  let below = (store.one<{ seq: number | null }>('SELECT max(seq) AS seq FROM users')?.seq ?? 0) + 1
  const rows: UserRow[] = []
  let total = 0
  while (below > 1) {
    const from = below > indexed + 1 ? Math.max(below - scanned, indexed + 1) : Math.max(below - looked, 1)
    const { sql, values } = from > indexed ? scan(text, from, below) : lookUp(text, from, below)
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

const contains = `instr(${foldedEmail}, lower(?)) > 0`

function scan(text: string, from: number, below: number): Range {
  return {
    sql: `SELECT seq FROM users WHERE seq >= ? AND seq < ? AND ${contains}`,
    values: [from, below, text],
  }
}

function lookUp(text: string, from: number, below: number): Range {
  return {
    sql: `SELECT rowid AS seq FROM user_emails
        WHERE user_emails MATCH '"' || replace(lower(?), '"', '""') || '"' AND rowid >= ? AND rowid < ?
          AND rowid NOT IN (SELECT seq FROM stale_emails)
      UNION ALL SELECT seq FROM users
        WHERE seq IN (SELECT seq FROM stale_emails WHERE seq >= ? AND seq < ?) AND ${contains}`,
    values: [text, from, below, from, below, text],
  }
}
