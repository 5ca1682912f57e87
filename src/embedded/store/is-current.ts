import { existsSync } from 'node:fs'
import { migrations } from './schema.ts'
import { openSqlite, type QuietLoader } from './sqlite.ts'

/** Returns true when the database exists and needs no migration. */
export async function isCurrent(path: string, quietly: QuietLoader): Promise<boolean> {
  if (!existsSync(path)) return false
  const sqlite = await openSqlite(path, quietly)
  try {
    const row = sqlite.prepare('PRAGMA user_version').get() as { user_version?: number } | undefined
    return row?.user_version === migrations.length
  } finally {
    sqlite.close()
  }
}
