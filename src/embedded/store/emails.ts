import type { Store } from './store.ts'

/** SQL expression for the email that a search matches. A user ID that contains `@` replaces a missing email. */
export const email = `coalesce(email, CASE WHEN user_id LIKE '%@%' THEN user_id END)`

/** SQL expression for the email in the index. SQLite's `lower` converts only ASCII letters. */
export const foldedEmail = `lower(${email})`

/** Returns true when SQLite supports full-text search. The SQLite of Node does so from Node 22.16 on. */
export function canIndex(store: Store): boolean {
  return store.one(`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`) !== undefined
}

export function hasUnindexed(store: Store): boolean {
  const { left } = store.one<{ left: number }>(
    `SELECT EXISTS (SELECT 1 FROM stale_emails)
       OR EXISTS (SELECT 1 FROM users WHERE seq > (SELECT emails_indexed FROM workspace)) AS left`,
  ) ?? { left: 0 }
  return left === 1
}

export const emailIndexStatement = `CREATE VIRTUAL TABLE user_emails USING fts5
  (email, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1)`

function createIndex(store: Store): void {
  store.define(emailIndexStatement)
  // Automatic merging of the index would block other requests for a long time.
  store.run(`INSERT INTO user_emails (user_emails, rank) VALUES ('automerge', 0)`)
  store.run(`INSERT INTO user_emails (user_emails, rank) VALUES ('crisismerge', 64)`)
}

export function indexEmails(store: Store, count: number): void {
  if (!store.one(`SELECT 1 FROM sqlite_master WHERE name = 'user_emails'`)) createIndex(store)
  const stale = '(SELECT seq FROM stale_emails ORDER BY seq LIMIT ?)'
  store.run(`DELETE FROM user_emails WHERE rowid IN ${stale}`, count)
  const index = `INSERT INTO user_emails (rowid, email) SELECT seq, ${foldedEmail} FROM users WHERE ${foldedEmail} IS NOT NULL`
  store.run(`${index} AND seq IN ${stale}`, count)
  const done = store.run(`DELETE FROM stale_emails WHERE seq IN ${stale}`, count)
  const next = store.one<{ seq: number | null }>(
    `SELECT max(seq) AS seq FROM
       (SELECT seq FROM users WHERE seq > (SELECT emails_indexed FROM workspace) ORDER BY seq LIMIT ?)`,
    Math.max(count - done, 0),
  )
  if (next?.seq == null) return
  store.run(`${index} AND seq > (SELECT emails_indexed FROM workspace) AND seq <= ?`, next.seq)
  store.run('UPDATE workspace SET emails_indexed = ?', next.seq)
  store.run(`INSERT INTO user_emails (user_emails, rank) VALUES ('merge', 32)`)
}
