import { member } from '../../../api/resources.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUserOption, RoomArgument } from '../../names/arguments.ts'
import { toBlockBody } from '../../records/blocking.ts'

export const memberTargets = {
  roomArgument: new RoomArgument('[room]'),
  ids: new IdArgument(
    '[member...]',
    `${member.descriptions.id}; repeatable, or - for IDs on standard input`,
    'member',
  ),
  list: 'listMembers',
  kind: 'member',
  flags: (command: MeetroomCommand) =>
    command
      .addOption(createUserOption('; repeatable'))
      .option('--all-rooms', 'select each --user in all rooms; prints one row per member'),
} as const

export const blocking = { verb: 'block', gerund: 'blocking', kind: 'member' } as const

export const setBlocked = (blocked: boolean) =>
  [
    'updateMember',
    (member_id: string, room_id: string) => ({
      params: { room_id, member_id },
      body: toBlockBody(blocked),
    }),
  ] as const
