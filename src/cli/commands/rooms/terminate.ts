import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'
import { roomTargets, setTerminated, termination } from './room-state.ts'

export function defineRoomTerminate(rooms: MeetroomCommand): void {
  defineTargetsCommand(rooms, {
    ...roomTargets,
    ...termination,
    summary: 'Terminate rooms',
    description: 'Terminate rooms and end their sessions.',
    destructive: true,
    call: setTerminated(true),
    examples: [
      'meetroom rooms terminate 66f1a2b3c4d5e6f708192a3b',
      "meetroom rooms terminate 'name:Weekly sync'",
      "meetroom rooms terminate --where 'name~^test' --yes --max 100",
      "meetroom rooms terminate --where 'idle>90d' --where 'status=active' --dry-run",
      'meetroom rooms list --active --all -o ids | meetroom rooms terminate - --yes',
    ],
  })
}
