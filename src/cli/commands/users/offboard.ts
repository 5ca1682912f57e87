import { saveFlags } from '../../backup/save-flags.ts'
import {
  addPaceFlags,
  createWhereOption,
  matchingUsers,
  maxOption,
  type TargetsFlags,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUsersArgument } from '../../names/arguments.ts'

interface OffboardFlags extends TargetsFlags {
  acceptUnconfirmedBlocks?: boolean
}

export const acceptsBlocksOption = [
  '--accept-unconfirmed-blocks',
  'also delete users if the service accepts blocks but does not show them',
] as const

export function defineUserOffboard(users: MeetroomCommand): void {
  const offboard = users
    .command('offboard')
    .summary('Block users in all private rooms, then delete the users')
    .description(
      'Block users in each of their private rooms, then delete each user whose blocks are all verified. Asks for confirmation. Prints one row per step, with its outcome. Open and public rooms do not support blocks; the rows of these rooms give this reason. A second run completes the remaining steps.',
    )
    .addArgument(createUsersArgument())
  offboard.option(...acceptsBlocksOption)
  addPaceFlags(saveFlags(offboard.option(...createWhereOption(matchingUsers))).option(...maxOption), {
    adapts: false,
  }).act('destroys', async (context, given: string[], flags: OffboardFlags) => {
    const { readTargets } = await import('../../targets/read-targets.ts')
    const { ids, recheck } = await readTargets(context, { given, flags, list: 'listUsers', room: '' })
    const { runOffboarding } = await import('./offboard/run-offboarding.ts')
    await runOffboarding(context, ids, flags, {
      step: 'block',
      deletes: true,
      acceptsUnconfirmed: flags.acceptUnconfirmedBlocks ?? false,
      force: false,
      recheck,
    })
  })
  offboard.addExamples(
    'meetroom users offboard mallory --dry-run',
    'meetroom users offboard mallory --save mallory.ndjson',
  )
}
