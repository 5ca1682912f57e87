import { existsSync, realpathSync } from 'node:fs'
import { UsageError } from '../../errors.ts'
import { prepareDatabaseFile } from '../../files/create-file.ts'
import { getDatabasePath } from '../database-path.ts'
import { copyContents, type WorkspaceFacts } from '../store/contents.ts'
import { loadSqlite } from '../store/sqlite.ts'
import { createDraft, removeStaleDrafts } from './draft.ts'
import { openBackup } from './open-backup.ts'
import { type ReplaceOptions, replaceContents, withStoppedWorkspace } from './replace.ts'

/**
 * Replaces the contents of a workspace with a backup. The workspace keeps its API key.
 * @param confirm called only if the workspace exists
 * @returns `saved`: path of the saved old contents; undefined for a new workspace
 * @throws {UsageError} if the backup is unusable, or the workspace cannot be locked
 * @throws {OutputError} if storage fails
 */
export async function restore(
  { dir, machine }: Pick<ReplaceOptions, 'dir' | 'machine'>,
  path: string,
  confirm: (facts: WorkspaceFacts) => Promise<void>,
) {
  const backup = await openBackup(path, machine.quietly)
  try {
    const { facts } = backup
    const database = getDatabasePath(dir)
    if (existsSync(database) && realpathSync(database) === realpathSync(path))
      throw new UsageError(`${path} is the database of the local workspace`, { hint: 'pass a backup' })
    return await withStoppedWorkspace(dir, machine, async () => {
      const isNew = !existsSync(database)
      if (!isNew) await confirm(facts)
      removeStaleDrafts(database)
      const open = await loadSqlite(machine.quietly)
      const draft = await createDraft(backup, { open, database, path, now: machine.now })
      try {
        if (isNew) prepareDatabaseFile(database, machine.effectiveUid)
        const saved = await replaceContents({
          dir,
          machine,
          saveAs: isNew ? undefined : 'before-restore',
          prepare: (db) => db.prepare('ATTACH ? AS draft').run(draft.path),
          fill: (db) => copyContents(db, 'draft'),
        })
        return { facts, saved, changedRows: draft.changedRows }
      } finally {
        draft.remove()
      }
    })
  } finally {
    backup.db.close()
  }
}
