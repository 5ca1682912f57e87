import { UsageError } from '../../errors.ts'
import { getDatabasePath } from '../database-path.ts'
import { listColumns } from '../store/contents.ts'
import { requireOwnSchema } from '../store/schema-check.ts'
import { loadSqlite, openReadOnly, type QuietLoader, type Sqlite } from '../store/sqlite.ts'
import { maxText, storedValues } from './stored-values.ts'

/** Maximum size of a database that is read completely, which takes some seconds, in bytes. */
const maxCheckedBytes = 256 * 1024 * 1024

/**
 * Checks the schema, the pages and the texts of a workspace's database, without changing them.
 * @throws {UsageError} when the schema is not the program's, or a page or a text is damaged
 * @throws a system error or an error of SQLite
 */
export async function checkDatabase(dir: string, bytes: number, quietly: QuietLoader): Promise<void> {
  const open = await loadSqlite(quietly)
  const db = openReadOnly(open, getDatabasePath(dir))
  try {
    requireOwnSchema(db, open, dir)
    if (bytes > maxCheckedBytes) return
    const fault = findPageFault(db)
    if (fault !== undefined) throw new UsageError(`the database is damaged: ${fault}`)
    requireTexts(db)
  } finally {
    db.close()
  }
}

function requireTexts(db: Sqlite): void {
  for (const table of Object.keys(storedValues)) {
    const columns = listColumns(db, table)
    // A workspace of an earlier version lacks tables.
    if (columns.length === 0) continue
    for (const row of db.rows(table, columns, maxText))
      if (row.includes(undefined))
        throw new UsageError(`the database is damaged: a text of the table ${table} is not UTF-8`)
  }
}

/** Describes the first damaged page; undefined when there is none. */
export function findPageFault(db: Sqlite): string | undefined {
  const check = 'SELECT quick_check FROM pragma_quick_check LIMIT 1'
  const { quick_check } = db.prepare(check).get() as { quick_check: string }
  return quick_check === 'ok' ? undefined : quick_check
}
