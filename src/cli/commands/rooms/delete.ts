import { saveFlags } from '../../backup/save-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'
import { roomTargets } from './room-state.ts'

export function defineRoomDelete(rooms: MeetroomCommand): void {
  defineTargetsCommand(rooms, {
    ...roomTargets,
    verb: 'delete',
    alias: 'rm',
    summary: 'Delete rooms',
    description: 'Delete rooms with everything in them.',
    destructive: true,
    deletes: 'rooms',
    flags: saveFlags,
    call: ['deleteRoom', (id) => ({ params: { id } })],
    examples: [
      'meetroom rooms delete 66f1a2b3c4d5e6f708192a3b',
      "meetroom rooms delete --where 'terminated_at<365d' --dry-run",
      "meetroom rooms delete --where 'terminated_at<365d' --save deleted-rooms.ndjson",
    ],
  })
}
