import { UsageError } from '../../errors.ts'
import { getDatabasePath } from '../database-path.ts'
import { listColumns } from '../store/contents.ts'
import { requireOwnSchema } from '../store/schema-check.ts'
import { loadSqlite, openReadOnly, type QuietLoader, type Sqlite } from '../store/sqlite.ts'
import { maxText, optionalRows, storedValues } from './stored-values.ts'

/** Maximum size of a database for the slow, complete check, in bytes. */
const maxCheckedBytes = 256 * 1024 * 1024

/**
 * Checks the schema of a database and, up to `maxCheckedBytes`, also pages and values.
 * @throws {UsageError} if a page or a value is damaged, or for another schema, unless its version is newer
 */
export async function checkDatabase(dir: string, bytes: number, quietly: QuietLoader): Promise<void> {
  const open = await loadSqlite(quietly)
  const db = openReadOnly(open, getDatabasePath(dir))
  try {
    requireOwnSchema(db, open, dir)
    if (bytes > maxCheckedBytes) return
    const fault = findPageFault(db) ?? findRowFault(db)
    if (fault !== undefined) throw new UsageError(`the database ${getDatabasePath(dir)} is damaged: ${fault}`)
  } finally {
    db.close()
  }
}

/** Describes the first row that is unreadable, or that a restore would refuse; undefined without one. */
export function findRowFault(db: Sqlite): string | undefined {
  for (const [table, rules] of Object.entries(storedValues)) {
    const columns = listColumns(db, table)
    // A workspace of an earlier version may lack tables.
    if (columns.length === 0) continue
    let nth = 0
    for (const row of db.rows(table, columns, maxText)) {
      nth++
      const invalid = columns.find((name, i) => {
        const rule = optionalRows.has(table) ? undefined : rules[name]
        return row[i] === undefined || (rule && rule(row[i]) === undefined)
      })
      if (invalid !== undefined) return `row ${nth} of the table ${table} has an invalid ${invalid}`
    }
  }
  return undefined
}

export function findPageFault(db: Sqlite): string | undefined {
  const check = 'SELECT quick_check FROM pragma_quick_check LIMIT 1'
  const { quick_check } = db.prepare(check).get() as { quick_check: string }
  return quick_check === 'ok' ? undefined : quick_check
}
