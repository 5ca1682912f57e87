import { getDatabasePath } from '../database-path.ts'
import { runMigrations } from '../store/migrate.ts'
import { openSqlite } from '../store/sqlite.ts'
import { requireWorkspace } from './back-up.ts'
import { readFacts, type WorkspaceFacts } from './facts.ts'
import { type ReplaceOptions, replaceContents, withStoppedWorkspace } from './replace.ts'

/**
 * Empties a workspace. The workspace keeps its API key.
 * @returns path of the saved old contents
 */
export async function reset(
  { dir, machine }: Pick<ReplaceOptions, 'dir' | 'machine'>,
  confirm: (facts: WorkspaceFacts) => Promise<void>,
): Promise<string> {
  requireWorkspace(dir)
  return withStoppedWorkspace(dir, machine, async () => {
    const sqlite = await openSqlite(getDatabasePath(dir), machine.quietly)
    const facts = readFacts(sqlite)
    sqlite.close()
    await confirm(facts)
    const saved = await replaceContents({
      dir,
      machine,
      saveAs: 'before-reset',
      fill: (db) => runMigrations(db, 0),
    })
    return saved ?? ''
  })
}
