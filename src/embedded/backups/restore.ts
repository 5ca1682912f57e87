import { closeSync, existsSync, openSync, realpathSync } from 'node:fs'
import { UsageError } from '../../errors.ts'
import { getDatabasePath } from '../database-path.ts'
import { copyContents } from '../store/contents.ts'
import type { WorkspaceFacts } from './facts.ts'
import { checkBackup } from './open-backup.ts'
import { type ReplaceOptions, replaceContents, withStoppedWorkspace } from './replace.ts'

interface Restored {
  /** Contents of the backup. */
  facts: WorkspaceFacts
  /** Path of the saved old contents; undefined for a new workspace. */
  saved: string | undefined
}

/**
 * Replaces the contents of a workspace with those of a backup. The workspace keeps its API key.
 * @param confirm asks for confirmation if there is something to lose
 * @throws {UsageError} when the workspace is served, or the file is no backup
 */
export async function restore(
  { dir, machine }: Pick<ReplaceOptions, 'dir' | 'machine'>,
  backup: string,
  confirm: (facts: WorkspaceFacts) => Promise<void>,
): Promise<Restored> {
  const facts = await checkBackup(backup, machine.quietly)
  const database = getDatabasePath(dir)
  if (existsSync(database) && realpathSync(database) === realpathSync(backup))
    throw new UsageError(`${backup} is the workspace itself`, { hint: 'name a backup' })
  return withStoppedWorkspace(dir, machine, async () => {
    const isNew = !existsSync(database)
    if (isNew) closeSync(openSync(database, 'a', 0o600))
    else await confirm(facts)
    const saved = await replaceContents({
      dir,
      machine,
      saveAs: isNew ? undefined : 'before-restore',
      prepare: (db) => db.prepare('ATTACH ? AS backup').run(backup),
      fill: (db) => copyContents(db, 'backup'),
    })
    return { facts, saved }
  })
}
