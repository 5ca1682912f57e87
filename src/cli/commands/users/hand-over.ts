import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addSelectionFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument, userArgumentText } from '../../names/arguments.ts'
import type { AddFlags } from '../../targets/add-to-rooms.ts'

export function createRoleOption(): Option {
  return new Option(
    '--role <role>',
    `${member.descriptions.type}; by default the role of the other user`,
  ).choices(memberTypes)
}

export function defineUserHandOver(users: MeetroomCommand, act: DefineAction): void {
  const handOver = users
    .command('hand-over')
    .summary('Add a user to every room of another user')
    .description(
      'Add a user to every room in which another user is a member, in the role of the other user. A lower role of the user in such a room is raised; roles are never lowered. The report has one row per room, and a second run completes the remaining rooms. The memberships of the other user do not change; to block and delete that user, use “users offboard”.',
    )
    .addArgument(new UserArgument('<from>', `the other user: ${userArgumentText}`))
    .addArgument(new UserArgument('<to>', `the user to add: ${userArgumentText}`))
    .addOption(createRoleOption())
  handOver.selectsRooms = 'always'
  addSelectionFlags(handOver).action(
    act('writes', async (context, from: string, to: string, flags: AddFlags & { role?: MemberType }) => {
      const { handOverRooms } = await import('./hand-over/hand-over-rooms.ts')
      await handOverRooms(context, { from, to }, flags)
    }),
  )
  addExamples(
    handOver,
    'meetroom users hand-over mallory grace --dry-run',
    "meetroom users hand-over mallory grace --role host --where 'name~^Maths'",
  )
}
