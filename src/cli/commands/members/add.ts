import { Option } from 'commander'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { member } from '../../../api/resources.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import { addBodyFlags, addSelectionFlags, matchingRooms } from '../../kernel/flags.ts'
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

export function defineMemberAdd(members: MeetroomCommand): void {
  const add = members
    .command('add')
    .summary('Add a user to a room, or to several rooms')
    .description(
      'Add a user to a room, in the given role or the user’s default role. Without --if-exists, the service decides about an existing member; the embedded service updates the role. With --where or --all-rooms, adds the user to each selected room, and prints one row per room. By default, these two flags skip rooms in which the user is a member.',
    )
    .addArgument(new RoomArgument('[room]'))
    .addArgument(new UserArgument('[user]'))
    .addOption(new Option('--type, --role <role>', descriptions.type).choices(memberTypes))
    .addOption(
      new Option(
        '--if-exists <action>',
        'action for a user who is already a member: update the role, skip the room or fail (default: the service decides for one room; skip for several)',
      ).choices(['update', 'skip', 'fail'] satisfies IfMember[]),
    )
    .addOption(new Option('--if-not-exists', 'short for --if-exists skip').conflicts('ifExists'))
    .addOption(
      new UserOption('--user <id>', `with --where or --all-rooms, add this user: ${userArgumentText}`),
    )
    .option('--all-rooms', 'add the user to all rooms')
  add.selectsRooms = 'always'
  addSelectionFlags(addBodyFlags(add), { where: matchingRooms }).act(
    'any',
    async (context, room_id: string | undefined, user: string | undefined, flags: AddFlags) => {
      const isMany = flags.where !== undefined || flags.allRooms === true
      if (isMany && room_id !== undefined)
        throw createFlagConflict('a room', flags.where ? '--where' : '--all-rooms', {
          hint: user === undefined && flags.user === undefined ? 'pass the user with --user' : undefined,
        })
      if (!isMany && room_id === undefined) return add.missingArgument('room')
      if (user !== undefined && flags.user !== undefined)
        throw createFlagConflict('a user argument', '--user')
      const user_id = user ?? flags.user
      if (isMany && user_id === undefined)
        throw new UsageError(`${flags.where ? '--where' : '--all-rooms'} needs --user`)
      if (user_id === undefined) return add.missingArgument('user')
      const given = { 'the user': { user_id }, '--role': { type: flags.role } }
      const body = await buildBody(context, 'addMember', flags, given)
      if (room_id === undefined) await context.requireAllowedFlags('writes')
      const { inviteToRoom, inviteToSelectedRooms } = await import('./write-memberships.ts')
      if (room_id === undefined) return inviteToSelectedRooms(context, body, flags)
      await inviteToRoom(context, room_id, body, flags.ifNotExists ? 'skip' : flags.ifExists)
    },
  )
  add.addExamples(
    'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --role host',
    "meetroom members add --where 'name~^Maths' --user ada --role host --dry-run",
    'meetroom members add --all-rooms --user ada --role monitor',
  )
}
