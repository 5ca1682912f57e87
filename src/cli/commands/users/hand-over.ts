import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { memberTypes } from '../../../api/vocabulary.ts'
import { addSelectionFlags, matchingRooms } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument, userArgumentText } from '../../names/arguments.ts'

export function createRoleOption(): Option {
  return new Option('--role <role>', `${member.descriptions.type} (default: the role of FROM)`).choices(
    memberTypes,
  )
}

export function defineUserHandOver(users: MeetroomCommand): void {
  const handOver = users
    .command('hand-over')
    .summary('Add a user to every room of another user')
    .description(
      'Add user TO to every room of user FROM, in the role of FROM. Raises lower roles of TO, and never lowers a role. Prints one row per room. A second run completes the remaining rooms. The memberships of FROM do not change; to block and delete FROM, use “users offboard”.',
    )
    .addArgument(new UserArgument('<from>', `user with the rooms: ${userArgumentText}`))
    .addArgument(new UserArgument('<to>', `user to add: ${userArgumentText}`))
    .addOption(createRoleOption())
  handOver.selectsRooms = 'always'
  addSelectionFlags(handOver, { where: matchingRooms }).actLater(
    'writes',
    async () => (await import('./hand-over/hand-over-rooms.ts')).handOverRooms,
  )
  handOver.addExamples(
    'meetroom users hand-over mallory grace --dry-run',
    "meetroom users hand-over mallory grace --role host --where 'name~^Maths'",
  )
}
