import { counted } from '../../../api/plural.ts'
import type { WorkspaceFacts } from '../../../embedded/backups/facts.ts'
import { UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { requireWritable } from '../../requests/before-send.ts'
import { confirm } from '../../requests/confirm.ts'
import { findDataDir } from '../../requests/find-service.ts'

export async function requireWritableWorkspace(context: Context): Promise<void> {
  const flags = context.flags.profile === undefined ? { ...context.flags, local: true } : context.flags
  requireWritable(flags, await context.withFlags(flags).settings())
}

/**
 * Returns the data directory of --data-dir, else of the service of --profile, else of `--local`.
 * @throws {UsageError} if the profile is of a service without a data directory on this machine
 */
export async function findWorkspaceDir(context: Context, dataDir: string | undefined): Promise<string> {
  if (dataDir !== undefined || context.flags.profile === undefined) return findDataDir(context.host, dataDir)
  const { local, dataDir: served, profile } = await context.settings()
  if (local) return findDataDir(context.host)
  if (served !== undefined) return served
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
