import type { Sqlite } from './sqlite.ts'

interface SchemaEntry {
  type: string
  name: string
  sql: string
}

// The email index is derived from the users, and its tables cannot be copied one by one.
const isOwn = `sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'user\\_emails%' ESCAPE '\\'`

/** Removes all tables and views of a database. Call inside a transaction. */
export function dropContents(db: Sqlite): void {
  const find = (where: string) =>
    db.prepare(`SELECT type, name FROM main.sqlite_master WHERE ${where}`).all() as SchemaEntry[]
  const drop = ({ type, name }: SchemaEntry) => db.exec(`DROP ${type} main."${name.replaceAll('"', '""')}"`)
  // Order matters: a broken view prevents dropping its tables, and a virtual table drops its own tables.
  find(`type = 'view'`).forEach(drop)
  find(`type = 'table' AND sql LIKE 'CREATE VIRTUAL%'`).forEach(drop)
  find(`type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`).forEach(drop)
}

/**
 * Copies tables, rows, indexes, views and triggers of an attached database into an empty one. Call inside a transaction.
 * @param from name of the attached database
 */
export function copyContents(db: Sqlite, from: string): void {
  const all = db
    .prepare(`SELECT type, name, sql FROM ${from}.sqlite_master WHERE ${isOwn} ORDER BY rowid`)
    .all() as SchemaEntry[]
  const tables = all.filter(({ type }) => type === 'table')
  for (const { name, sql } of tables) {
    db.exec(sql)
    db.exec(`INSERT INTO main."${name}" SELECT * FROM ${from}."${name}"`)
  }
  db.exec(`DELETE FROM main.sqlite_sequence`)
  db.exec(`INSERT INTO main.sqlite_sequence SELECT * FROM ${from}.sqlite_sequence`)
  // Rebuild the email index, starting with the first user.
  if (tables.some(({ name }) => name === 'stale_emails'))
    db.exec('DELETE FROM main.stale_emails; UPDATE main.workspace SET emails_indexed = 0')
  for (const { type, sql } of all) if (type !== 'table') db.exec(sql)
  const { user_version } = db.prepare(`PRAGMA ${from}.user_version`).get() as { user_version: number }
  db.exec(`PRAGMA main.user_version = ${user_version}`)
}
