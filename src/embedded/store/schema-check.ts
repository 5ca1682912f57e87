import { createHash } from 'node:crypto'
import { suggestElsewhere, UsageError } from '../../errors.ts'
import { emailIndexStatement } from './emails.ts'
import { runMigrations } from './migrate.ts'
import { orderIndexStatements } from './order-index.ts'
import { migrations } from './schema.ts'
import type { OpenSqlite, Sqlite } from './sqlite.ts'

/** SHA-256 of the schema that the migrations create. With it, opening a workspace takes 7 ms less. */
export const currentSchemaHash = 'b33a5f6371f593b1c29a6b19b6f07593273a8ddb3f5a4d72ffd7e0a1f8c40309'

interface SchemaEntry {
  type: string
  name: string
  tbl_name: string
  sql: string | null
}

/** Formatting of a statement may change between versions. */
const normalize = (sql: string | null) => (sql ?? '').replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()

const onDemand = new Set([emailIndexStatement, ...orderIndexStatements].map(normalize))

/** True for objects that SQLite creates by itself, and for those that the program creates on demand. */
function isImplied({ type, name, sql }: SchemaEntry): boolean {
  if (type === 'index' && sql === null) return true
  if (type === 'table' && /^(sqlite_sequence|user_emails_(config|content|data|docsize|idx))$/.test(name))
    return /^CREATE TABLE\b/.test(sql ?? '')
  return onDemand.has(normalize(sql))
}

/** Returns the statements that create the tables, indexes, views and triggers, by kind and name. */
function readSchema(db: Sqlite): Map<string, string> {
  const entries = db
    .prepare(`SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY type <> 'table', type, name`)
    .all() as SchemaEntry[]
  return new Map(
    entries
      .filter((entry) => !isImplied(entry))
      .map(({ type, name, tbl_name, sql }) => [`${type} ${name}`, `${tbl_name}: ${normalize(sql)}`]),
  )
}

export function hashSchema(db: Sqlite): string {
  return createHash('sha256')
    .update(JSON.stringify([...readSchema(db)]))
    .digest('hex')
}

/** Creates an empty database of a schema version in memory. */
export function createEmpty(open: OpenSqlite, version: number): Sqlite {
  const db = open(':memory:')
  runMigrations(db, 0, version)
  return db
}

/**
 * Refuses a database whose schema is not the one of the migrations, because its triggers and views would run.
 * @throws {UsageError}
 */
export function requireOwnSchema(db: Sqlite, open: OpenSqlite, dir: string): void {
  // Another process may be migrating or restoring. One transaction reads the version and the schema of one moment.
  db.exec('PRAGMA busy_timeout = 5000; BEGIN')
  try {
    const version = readVersion(db)
    // `migrate` reports a newer version.
    if (version > migrations.length) return
    if (version === migrations.length && hashSchema(db) === currentSchemaHash) return
    const fault = version < 0 ? `the schema version ${version}` : findSchemaFault(db, open, version)
    if (fault !== undefined)
      throw new UsageError(`the workspace in ${dir} has ${fault}`, {
        hint: [
          'meetroom does not open a changed schema. Restore a backup, or the rows of a copy of its workspace.db: ',
          suggestElsewhere(['local', 'restore', 'FILE']),
        ],
      })
  } finally {
    db.exec('COMMIT')
  }
}

export function readVersion(db: Sqlite): number {
  return (db.prepare('PRAGMA main.user_version').get() as { user_version: number }).user_version
}

/** Describes the first difference from the schema of a version; undefined when there is none. */
function findSchemaFault(db: Sqlite, open: OpenSqlite, version: number): string | undefined {
  const found = readSchema(db)
  const own = createEmpty(open, version)
  const expected = readSchema(own)
  own.close()
  for (const [name, statement] of found) {
    if (!expected.has(name)) return `the ${name}, which meetroom does not create`
    if (expected.get(name) !== statement) return `a changed ${name}`
  }
  for (const name of expected.keys()) if (!found.has(name)) return `no ${name}`
  return undefined
}
