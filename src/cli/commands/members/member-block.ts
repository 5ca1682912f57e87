import { member } from '../../../api/resources.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { userOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { blockedBody } from '../../lists/blocking.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'

const get = [
  'getMember',
  (member_id: string, room_id: string) => ({ params: { room_id, member_id } }),
] as const

/** Declarations that the batch commands over members share. */
export const memberBatch = {
  roomArgument: new RoomArgument('[room]'),
  ids: new IdArgument('[member...]', `${member.words.id}s, or - to read them from standard input`, 'member'),
  list: 'listMembers',
  get,
  flags: (command: MeetroomCommand) =>
    command
      .addOption(userOption('; repeatable'))
      .option(
        '--all-rooms',
        'the members of all rooms who are these users; each room is a row of the report',
      ),
} as const

export const blocking = { verb: 'block', doing: 'blocking', get } as const

/** Returns the request that blocks or unblocks a member. */
export const setBlocked = (blocked: boolean) =>
  [
    'updateMember',
    (member_id: string, room_id: string) => ({
      params: { room_id, member_id },
      body: blockedBody(blocked),
    }),
  ] as const
