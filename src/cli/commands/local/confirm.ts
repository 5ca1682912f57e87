import { counted } from '../../../api/plural.ts'
import type { WorkspaceFacts } from '../../../embedded/backups/facts.ts'
import type { Context } from '../../kernel/context.ts'
import { requireWritable } from '../../requests/before-send.ts'
import { confirm } from '../../requests/confirm.ts'

export async function requireWritableWorkspace(context: Context): Promise<void> {
  const flags = { ...context.flags, local: true }
  requireWritable(flags, await context.withFlags(flags).settings())
}

export function confirmLoss(context: Context, activity: string, question: string): Promise<void> {
  return confirm(context, { activity, describe: async () => question })
}

export function formatContents({ rooms, users, sessions }: WorkspaceFacts): string {
  return [counted(rooms, 'room'), counted(users, 'user'), counted(sessions, 'session')].join(', ')
}
