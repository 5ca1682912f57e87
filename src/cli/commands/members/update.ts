import { Option } from 'commander'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { member } from '../../../api/resources.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import { addBodyFlags, addSelectionFlags, matchingRooms, requireFields } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { readMember } from '../../lists/user-members.ts'
import { createUserOption, RoomArgument } from '../../names/arguments.ts'
import { isBlocked, toBlockBody } from '../../records/blocking.ts'
import type { AddFlags } from '../../targets/add-to-rooms.ts'
import { runOne } from '../shared/run-one.ts'
import { blocking } from './member-block.ts'

const { descriptions } = member

interface UpdateFlags extends BodyFlags, AddFlags {
  allRooms?: boolean
  user?: string[]
  name?: string
  role?: MemberType
  blocked?: boolean
  unblocked?: boolean
}

export function defineMemberUpdate(members: MeetroomCommand): void {
  const update = members
    .command('update')
    .summary('Change a member’s name, role or block')
    .description(
      'Change the display name or the role of a member, or block or unblock the member. With --all-rooms or --where, change the name or role of a user in each matching room, and print one row per room.',
    )
    .addArgument(new RoomArgument('[room]'))
    .addArgument(new IdArgument('[member]', descriptions.id, 'member'))
    .addOption(createUserOption())
    .option('--name <name>', descriptions.name)
    .addOption(new Option('--type, --role <role>', descriptions.type).choices(memberTypes))
    .addOption(new Option('--blocked', descriptions.is_blocked).conflicts('unblocked'))
    .addOption(new Option('--unblocked', 'unblock the member').conflicts('blocked'))
    .option('--all-rooms', 'select the --user in all rooms')
  update.selectsRooms = 'always'
  addSelectionFlags(addBodyFlags(update), { where: matchingRooms }).act(
    'writes',
    async (context, room_id: string | undefined, given: string | undefined, flags: UpdateFlags) => {
      const isMany = flags.where !== undefined || flags.allRooms === true
      if (isMany && room_id !== undefined)
        throw createFlagConflict('a room', flags.where ? '--where' : '--all-rooms')
      if (!isMany && room_id === undefined) return update.missingArgument('room')
      const blocked = flags.blocked ? true : flags.unblocked ? false : undefined
      const { name, role: type } = flags
      const body = await buildBody(context, 'updateMember', flags, {
        '--name': { name },
        '--role': { type },
        [flags.blocked ? '--blocked' : '--unblocked']: toBlockBody(blocked),
      })
      requireFields(context, body, {})
      if (room_id === undefined) {
        const { updateInRooms } = await import('./write-memberships.ts')
        return updateInRooms(context, body, flags)
      }
      const member_id = await readMember(context, room_id, given, flags.user)
      if (isBlocked(body)) {
        const { confirmTargets } = await import('../../targets/confirm-targets.ts')
        await confirmTargets(context, blocking, { ids: [member_id], room: room_id })
      }
      await runOne(context, 'updateMember', { params: { room_id, member_id }, body })
    },
  )
  update.addExamples(
    "meetroom members update 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c --name 'Dr. Ada'",
    'meetroom members update 66f1a2b3c4d5e6f708192a3b --user ada --role host',
    "meetroom members update --all-rooms --user ada --name 'Ada King'",
  )
}
