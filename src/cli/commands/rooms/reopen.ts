import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'
import { roomTargets, setTerminated } from './room-state.ts'

export function defineRoomReopen(rooms: MeetroomCommand): void {
  defineTargetsCommand(rooms, {
    ...roomTargets,
    verb: 'reopen',
    summary: 'Reopen terminated rooms',
    description: 'Reopen terminated rooms.',
    call: setTerminated(false),
    examples: ['meetroom rooms reopen 66f1a2b3c4d5e6f708192a3b'],
  })
}
