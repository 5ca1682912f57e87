import { member } from '../../../api/resources.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { readMember } from '../../lists/user-members.ts'
import { createUserOption, RoomArgument } from '../../names/arguments.ts'
import { runOne } from '../shared/run-one.ts'

const { descriptions } = member

export function defineMemberGet(members: MeetroomCommand): void {
  const get = members
    .command('get')
    .summary('Show a member of a room')
    .description('Show one member of a room.')
    .addArgument(new RoomArgument())
    .addArgument(new IdArgument('[member]', descriptions.id, 'member'))
    .addOption(createUserOption())
    .act(
      'reads',
      async (context, room_id: string, given: string | undefined, { user }: { user?: string[] }) => {
        const member_id = await readMember(context, room_id, given, user)
        await runOne(context, 'getMember', { params: { room_id, member_id } })
      },
    )
  get.alias('show')
  get.addExamples(
    'meetroom members get 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
    'meetroom members get 66f1a2b3c4d5e6f708192a3b --user ada',
  )
}
