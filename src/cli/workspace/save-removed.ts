import { dirname, resolve } from 'node:path'
import { omitUndefined } from '../../api/defined.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { kindPlurals } from './plan/items.ts'
import type { Plan } from './plan/plan.ts'

/**
 * Saves the records of rooms and users before they are removed: to `--save FILE`, to the directory of the settings, or
 * beside the workspace file.
 * @throws {UsageError} when one `--save` file would hold records of two kinds, which no import reads
 */
export async function saveRemoved(
  context: Context,
  file: string,
  { items }: Plan,
  { concurrency, rate }: PaceFlags,
): Promise<void> {
  const idsOf = (kind: 'room' | 'user') =>
    items.flatMap((item) =>
      item.action === 'remove' && item.kind === kind ? [item.room_id ?? item.key] : [],
    )
  const removed = (['room', 'user'] as const).map((kind) => ({ kind: kindPlurals[kind], ids: idsOf(kind) }))
  const kinds = removed.filter(({ ids }) => ids.length > 0)
  const { save } = context.flags
  if (save === false || kinds.length === 0) return
  if (save !== undefined && kinds.length > 1)
    throw new UsageError('--save FILE holds one kind of records, and users and rooms would be removed', {
      hint: 'leave --save out: the records are saved beside the file, one file per kind',
    })
  const { createBackup } = await import('../backup/backup.ts')
  for (const { kind, ids } of kinds) {
    const dir = dirname(resolve(context.host.cwd, file))
    // Reuses the context's backup, which also saves records before each DELETE, so that no record is saved twice.
    const backup = (await context.backup()) ?? createBackup(context, { dir })
    await backup.save({ kind: kind as 'rooms' | 'users', ids, flags: omitUndefined({ concurrency, rate }) })
    if (backup !== (await context.backup())) await backup.close()
  }
}
