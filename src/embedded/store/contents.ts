import { readVersion, runMigrations } from './migrate.ts'
import type { Sqlite } from './sqlite.ts'

interface SchemaEntry {
  type: string
  name: string
}

/** Call inside a transaction. */
export function dropContents(db: Sqlite): void {
  const find = (where: string) =>
    db.prepare(`SELECT type, name FROM main.sqlite_master WHERE ${where}`).all() as SchemaEntry[]
  const drop = ({ type, name }: SchemaEntry) => db.exec(`DROP ${type} main."${name.replaceAll('"', '""')}"`)
  // Order matters: dropping a virtual table also drops its own tables.
  find(`type = 'view'`).forEach(drop)
  find(`type = 'table' AND sql LIKE 'CREATE VIRTUAL%'`).forEach(drop)
  find(`type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`).forEach(drop)
}

/**
 * Lists all tables. `sqlite_sequence`, which holds the last row numbers, is last, because inserts change it.
 */
export function listTables(db: Sqlite): string[] {
  const rows = db
    .prepare(
      `SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name = 'sqlite_sequence', name`,
    )
    .all() as { name: string }[]
  return rows.map(({ name }) => name)
}

/** Returns an empty list if there is no such table. */
export function listColumns(db: Sqlite, table: string): string[] {
  const rows = db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]
  return rows.map(({ name }) => name)
}

/**
 * Fills an empty database from a trusted database with the current schema. Call inside a transaction.
 * @param from name of the attached database
 */
export function copyContents(db: Sqlite, from: string): void {
  runMigrations(db, 0)
  for (const name of listTables(db)) {
    db.exec(`DELETE FROM main."${name}"`)
    db.exec(`INSERT INTO main."${name}" SELECT * FROM ${from}."${name}"`)
  }
}

export type WorkspaceFacts = ReturnType<typeof readFacts>

export function readFacts(sqlite: Sqlite) {
  const count = (table: string) =>
    (sqlite.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
  return {
    /** Number of migrations that have been applied to the database. */
    schema_version: readVersion(sqlite),
    rooms: count('rooms'),
    users: count('users'),
    members: count('members'),
    sessions: count('sessions'),
    pages: count('pages'),
  }
}
