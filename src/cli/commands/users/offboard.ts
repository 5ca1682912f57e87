import { user } from '../../../api/resources.ts'
import { saveFlags } from '../../backup/flags.ts'
import { readTargets } from '../../batch/targets.ts'
import type { DefineAction } from '../../kernel/action.ts'
import {
  examples,
  type ManyFlags,
  maxOption,
  type PaceFlags,
  paceFlags,
  whereOption,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

const ids = `${user.words.user_id}, or - to read ids from standard input`

/** The commands about all rooms that a user is in. */
export function defineUserAccess(users: MeetroomCommand, act: DefineAction): void {
  defineRooms(users, act)
  defineOffboard(users, act)
}

function defineRooms(users: MeetroomCommand, act: DefineAction): void {
  const rooms = users
    .command('rooms')
    .summary('List every room in which users are members')
    .description(
      'List every room in which users are members, whether they are blocked there, and when they were last connected. The API finds rooms by no user, so the members of every room are listed.',
    )
    .argument('<user...>', ids)
  paceFlags(rooms).action(
    act('reads', async (context, given: string[], flags: PaceFlags) => {
      const { runUserRooms } = await import('../../lists/user-rooms.ts')
      await runUserRooms(context, given, flags)
    }),
  )
  examples(rooms, 'meetroom users rooms ada', 'meetroom users rooms ada grace -o csv > access.csv')
}

function defineOffboard(users: MeetroomCommand, act: DefineAction): void {
  const offboard = users
    .command('offboard')
    .summary('Block users in every private room, then delete them')
    .description(
      'Block users in every private room that they are in, then delete each of them for whom every block has succeeded. The report says what became of each step, and in which rooms the API offers no block. A second run does what is left.',
    )
    .argument('[user...]', ids)
  paceFlags(saveFlags(offboard.option(...whereOption)).option(...maxOption)).action(
    act('writes', async (context, given: string[], flags: ManyFlags) => {
      const { ids } = await readTargets(context, { given, flags, list: 'listUsers', room: '' })
      const { runOffboarding } = await import('./offboard/run-offboarding.ts')
      await runOffboarding(context, ids, flags, { step: 'block', deletes: true, force: false })
    }),
  )
  examples(
    offboard,
    'meetroom users offboard mallory --dry-run',
    'meetroom users offboard mallory --save mallory.ndjson',
  )
}
