import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import { addBodyFlags, addExamples, addSelectionFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument, UserArgument, UserOption, userArgumentText } from '../../names/arguments.ts'
import type { IfMember } from '../../records/membership-plan.ts'
import type { AddFlags as RoomFlags } from '../../targets/add-to-rooms.ts'

const { descriptions } = member

interface AddFlags extends BodyFlags, RoomFlags {
  role?: MemberType
  user?: string
  allRooms?: boolean
  ifExists?: IfMember
  ifNotExists?: boolean
}

export function defineMemberAdd(members: MeetroomCommand, act: DefineAction): void {
  const add = members
    .command('add')
    .summary('Invite a user to a room, or to many rooms')
    .description(
      'Invite a user to a room, in the given role, or else the user’s default role. Adding a member again changes the role; --if-exists decides. With --where or --all-rooms, invite the user to each selected room; rooms in which the user is a member are skipped, unless --if-exists says otherwise, and the report has one row per room.',
    )
    .addArgument(new RoomArgument('[room]'))
    .addArgument(new UserArgument('[user]'))
    .addOption(new Option('--type, --role <role>', descriptions.type).choices(memberTypes))
    .addOption(
      new Option(
        '--if-exists <what>',
        'if the user is already a member: change the role, leave the member as is, or fail (default in many rooms: skip)',
      ).choices(['update', 'skip', 'fail'] satisfies IfMember[]),
    )
    .addOption(new Option('--if-not-exists', 'short for --if-exists skip').conflicts('ifExists'))
    .addOption(new UserOption('--user <id>', `with --where or --all-rooms: ${userArgumentText}`))
    .option('--all-rooms', 'invite the user to all rooms')
  add.selectsRooms = 'always'
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
      const given = { 'the user': { user_id }, '--role': { type: flags.role } }
      const body = await buildBody(context, 'addMember', flags, given)
      if (room_id === undefined) await context.requireAllowedFlags('writes')
      const { inviteToRoom, inviteToSelectedRooms } = await import('./add/invite.ts')
      if (room_id === undefined) return inviteToSelectedRooms(context, body, flags)
      await inviteToRoom(context, room_id, body, flags.ifNotExists ? 'skip' : flags.ifExists)
    }),
  )
  addExamples(
    add,
    'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --role host',
    "meetroom members add --where 'name~^Maths' --user ada --role host --dry-run",
    'meetroom members add --all-rooms --user ada --role monitor',
  )
}
