import { saveFlags } from '../../backup/save-flags.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, maxOption, type TargetsFlags, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUsersArgument } from '../../names/arguments.ts'

interface OffboardFlags extends TargetsFlags {
  acceptUnconfirmedBlocks?: boolean
}

export const acceptsBlocksOption = [
  '--accept-unconfirmed-blocks',
  'delete users also if the service accepts blocks but does not show them',
] as const

export function defineUserOffboard(users: MeetroomCommand, act: DefineAction): void {
  const offboard = users
    .command('offboard')
    .summary('Block users in every private room, then delete them')
    .description(
      'Block users in each private room that they are in, then delete each user whose blocks are all confirmed. Asks first. Each step is a row with its outcome; the API offers no block in open and public rooms, and the rows of these rooms state that. A second run completes the remaining steps.',
    )
    .addArgument(createUsersArgument())
  offboard.option(...acceptsBlocksOption)
  addPaceFlags(saveFlags(offboard.option(...whereOption)).option(...maxOption), { adapts: false }).action(
    act('destroys', async (context, given: string[], flags: OffboardFlags) => {
      const { readTargets } = await import('../../targets/read-targets.ts')
      const { ids } = await readTargets(context, { given, flags, list: 'listUsers', room: '' })
      const { runOffboarding } = await import('./offboard/run-offboarding.ts')
      await runOffboarding(context, ids, flags, {
        step: 'block',
        deletes: true,
        acceptsUnconfirmed: flags.acceptUnconfirmedBlocks ?? false,
        force: false,
      })
    }),
  )
  addExamples(
    offboard,
    'meetroom users offboard mallory --dry-run',
    'meetroom users offboard mallory --save mallory.ndjson',
  )
}
