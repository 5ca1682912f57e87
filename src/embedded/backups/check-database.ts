import { UsageError } from '../../errors.ts'
import { getDatabasePath } from '../database-path.ts'
import { requireOwnSchema } from '../store/schema-check.ts'
import { loadSqlite, openReadOnly, type QuietLoader } from '../store/sqlite.ts'

/** Maximum size of a database that is checked page by page, which takes about a second, in bytes. */
const maxCheckedBytes = 256 * 1024 * 1024

/**
 * Checks the schema and the pages of a workspace's database, without changing them.
 * @throws {UsageError} when the schema is not the program's, or a page is damaged
 * @throws a system error or an error of SQLite
 */
export async function checkDatabase(dir: string, bytes: number, quietly: QuietLoader): Promise<void> {
  const open = await loadSqlite(quietly)
  const db = openReadOnly(open, getDatabasePath(dir))
  try {
    requireOwnSchema(db, open, dir)
    if (bytes > maxCheckedBytes) return
    const [check] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new UsageError(`the database is damaged: ${check?.quick_check}`)
  } finally {
    db.close()
  }
}
