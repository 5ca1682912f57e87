import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import type { AddFlags as RoomFlags } from '../../batch/add-to-rooms.ts'
import { IdArgument, IdOption } from '../../input/id-arguments.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import { addBodyFlags, addExamples, addSelectionFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { lookUpFirst } from '../../lists/find-item.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'
import { runOne } from '../../lists/run-one.ts'
import { findMember } from '../../lists/user-members.ts'

const { descriptions } = member

interface AddFlags extends BodyFlags, RoomFlags {
  type?: MemberType
  user?: string
  allRooms?: boolean
  ifNotExists?: boolean
}

export function defineMemberAdd(members: MeetroomCommand, act: DefineAction): void {
  const add = members
    .command('add')
    .summary('Invite a user to a room, or to many rooms')
    .description(
      'Invite a user to a room, in the given role, or else the user’s default role. With --where or --all-rooms, invite the user to each selected room; rooms in which the user is a member are skipped, and the report has one row per room.',
    )
    .addArgument(new RoomArgument('[room]'))
    .addArgument(new IdArgument('[user]', descriptions.user_id, 'user'))
    .addOption(new Option('--type <type>', descriptions.type).choices(memberTypes))
    .option('--if-not-exists', 'if the user is already a member, leave the member as is and show it')
    .addOption(new IdOption('--user <id>', 'the user, with --where or --all-rooms', 'user'))
    .option('--all-rooms', 'invite the user to all rooms')
  add.selectsRooms = true
  addSelectionFlags(addBodyFlags(add)).action(
    act('any', async (context, room_id: string | undefined, user: string | undefined, flags: AddFlags) => {
      const isMany = flags.where !== undefined || flags.allRooms === true
      if (isMany && room_id !== undefined)
        throw new UsageError(`pass a room or ${flags.where ? '--where' : '--all-rooms'}, not both`)
      if (!isMany && room_id === undefined) return add.missingArgument('room')
      if (user !== undefined && flags.user !== undefined)
        throw new UsageError('pass the user as an argument or with --user, not both')
      const user_id = user ?? flags.user
      if (isMany && user_id === undefined)
        throw new UsageError('--user is missing', { hint: 'name the user to invite with --user ID' })
      if (user_id === undefined) return add.missingArgument('user')
      const given = { 'the user': { user_id }, '--type': { type: flags.type } }
      const body = await buildBody(context, 'addMember', flags, given)
      if (room_id === undefined) {
        await context.requireAllowedFlags('writes')
        const { inviteToRooms } = await import('./add/invite-to-rooms.ts')
        return inviteToRooms(context, body, flags)
      }
      const existing =
        flags.ifNotExists && (await lookUpFirst(findMember(context, room_id, toText(body.user_id))))
      if (existing) return runOne(context, 'getMember', { params: { room_id, member_id: existing } })
      await runOne(context, 'addMember', { params: { room_id }, body })
    }),
  )
  addExamples(
    add,
    'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --type host',
    "meetroom members add --where 'name~^Maths' --user ada --type host --dry-run",
    'meetroom members add --all-rooms --user ada --type monitor',
  )
}
