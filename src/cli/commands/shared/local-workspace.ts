import { existsSync } from 'node:fs'
import { counted } from '../../../api/plural.ts'
import type { WorkspaceFacts } from '../../../embedded/store/contents.ts'
import { UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { requireWritable } from '../../requests/before-send.ts'
import { confirm } from '../../requests/confirm.ts'
import { findDataDir } from '../../requests/find-service.ts'

/** @throws {UsageError} if --profile, or the profile of the local workspace, is protected */
export async function requireWritableWorkspace(context: Context, dataDir: string | undefined): Promise<void> {
  const { profile, ...others } = context.flags
  if (profile !== undefined) {
    const settings = await context.settings()
    requireWritable(context.flags, settings)
    const isOther = settings.dataDir !== undefined && settings.dataDir !== (await findDataDir(context.host))
    if (isOther && dataDir === undefined) return
  }
  // Other profiles can have the same data directory.
  const flags = { ...others, local: true }
  requireWritable(flags, await context.withFlags(flags).settings())
}

/**
 * Returns the data directory of --data-dir, else of the service of --profile, else of `--local`.
 * @throws {UsageError} if the profile is of a service without a data directory on this machine
 */
export async function findWorkspaceDir(context: Context, dataDir: string | undefined): Promise<string> {
  const { flags, host } = context
  if (dataDir !== undefined) return findDataDir(host, dataDir)
  const { local, dataDir: served, profile } = await context.settings()
  const isNamed = flags.profile !== undefined
  if (isNamed && !local && served !== undefined) return served
  const dir = await findDataDir(host)
  if (!isNamed && served !== undefined && served !== dir) {
    const { getDatabasePath } = await import('../../../embedded/database-path.ts')
    const hint = `pass --data-dir ${served} for the workspace of profile ${profile.value}`
    // A restore creates the workspace.
    if (context.command !== 'local restore' && !existsSync(getDatabasePath(dir)))
      throw new UsageError(`there is no local workspace in ${dir}`, {
        hint,
        lineEdit: { before: `for the workspace of profile ${profile.value}: `, add: ['--data-dir', served] },
      })
    await context.notice(`using the local workspace in ${dir}; ${hint}`)
  }
  if (local || !isNamed) return dir
  throw new UsageError(`profile ${profile.value} has no data directory on this machine`, {
    hint: 'choose a local workspace with --data-dir, or omit --profile',
  })
}

export function confirmLoss(context: Context, activity: string, question: string): Promise<void> {
  return confirm(context, { activity, describe: async () => question })
}

export function formatContents({ rooms, users, sessions }: WorkspaceFacts): string {
  return [counted(rooms, 'room'), counted(users, 'user'), counted(sessions, 'session')].join(', ')
}
