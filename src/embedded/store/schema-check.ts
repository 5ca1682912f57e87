import { createHash } from 'node:crypto'
import { suggest, UsageError } from '../../errors.ts'
import { readVersion, runMigrations } from './migrate.ts'
import { migrations } from './schema.ts'
import type { OpenSqlite, Sqlite } from './sqlite.ts'

/** SHA-256 of the schema after all migrations. A comparison with a new database would take 7 ms. */
export const currentSchemaHash = '5e0df1be31e46c45bba890dd003ee9cb79e5c79afbd1557d91f4ade197de5293'

interface SchemaEntry {
  type: string
  name: string
  tbl_name: string
  sql: string | null
}

/** Removes comments and redundant spaces, which may differ between versions. */
const normalize = (sql: string | null) => (sql ?? '').replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()

/** Last schema version with indexes on demand. */
const lastOnDemand = 13
/** Statements with which earlier versions created indexes on demand. */
const onDemand = new Set([
  `CREATE VIRTUAL TABLE user_emails USING fts5 (email, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1)`,
  'CREATE INDEX rooms_by_creation ON rooms (created_at, seq, layout, terminated_at)',
  'CREATE INDEX users_by_creation ON users (created_at)',
  'CREATE INDEX members_by_creation ON members (room_id, created_at)',
  'CREATE INDEX sessions_by_connection ON sessions (room_id, connected_at)',
  'CREATE INDEX pages_by_creation ON pages (room_id, created_at)',
])

/** Returns true for objects that SQLite creates automatically, or that `version` created on demand. */
function isImplied({ type, name, sql }: SchemaEntry, version: number): boolean {
  if ((type === 'index' && sql === null) || name === 'sqlite_sequence') return true
  if (version > lastOnDemand) return false
  if (type === 'table' && /^user_emails_(config|content|data|docsize|idx)$/.test(name))
    return /^CREATE TABLE\b/.test(sql ?? '')
  return onDemand.has(normalize(sql))
}

function readSchema(db: Sqlite, version: number): Map<string, string> {
  const entries = db
    .prepare(`SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY type <> 'table', type, name`)
    .all() as SchemaEntry[]
  return new Map(
    entries
      .filter((entry) => !isImplied(entry, version))
      .map(({ type, name, tbl_name, sql }) => [`${type} ${name}`, `${tbl_name}: ${normalize(sql)}`]),
  )
}

/** Query that reads version and schema together, because another process may be migrating. */
const identityQuery = `SELECT user_version AS version, (
    SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' ' || sql, char(10)) FROM (
      SELECT * FROM main.sqlite_master
      WHERE sql IS NOT NULL ORDER BY type, name)
  ) AS schema
  FROM pragma_user_version`

export function readIdentity(db: Sqlite): { version: number; hash: string } {
  const { version, schema } = db.prepare(identityQuery).get() as { version: number; schema: string | null }
  return {
    version,
    hash: createHash('sha256')
      .update(schema ?? '')
      .digest('hex'),
  }
}

export function createEmpty(open: OpenSqlite, version: number): Sqlite {
  const db = open(':memory:')
  runMigrations(db, 0, version)
  return db
}

/**
 * Requires the schema of the migrations, because foreign triggers and views would run.
 * @throws {UsageError} for another schema, unless its version is newer
 */
export function requireOwnSchema(db: Sqlite, open: OpenSqlite, dir: string): void {
  db.exec('PRAGMA busy_timeout = 5000')
  const { version, hash } = readIdentity(db)
  // `migrate` reports a newer version.
  if (version > migrations.length || (version === migrations.length && hash === currentSchemaHash)) return
  db.exec('BEGIN')
  try {
    const fault = findSchemaFault(db, open, readVersion(db))
    if (fault !== undefined)
      throw new UsageError(`the local workspace in ${dir} has ${fault}`, {
        hint: [
          'restore a backup, or a copy of workspace.db, with: ',
          suggest(['local', 'restore', 'FILE', '--data-dir', dir]),
        ],
      })
  } finally {
    db.exec('COMMIT')
  }
}

function findSchemaFault(db: Sqlite, open: OpenSqlite, version: number): string | undefined {
  if (version < 0 || version > migrations.length) return `the schema version ${version}`
  const found = readSchema(db, version)
  const own = createEmpty(open, version)
  const expected = readSchema(own, version)
  own.close()
  for (const [name, statement] of found) {
    if (!expected.has(name)) return `the ${name}, which meetroom does not create`
    if (expected.get(name) !== statement) return `a changed ${name}`
  }
  for (const name of expected.keys()) if (!found.has(name)) return `no ${name}`
  return undefined
}
