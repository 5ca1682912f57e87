import { readVersion } from '../store/migrate.ts'
import type { Sqlite } from '../store/sqlite.ts'

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
