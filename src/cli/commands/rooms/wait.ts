import { Option } from 'commander'
import { maxTimeoutMs } from '../../../config/values.ts'
import { roomStates } from '../../filter/room-states.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { collect, createDurationParser } from '../../input/input.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomArgumentText } from '../../names/arguments.ts'

export function defineRoomWait(rooms: MeetroomCommand): void {
  const wait = rooms
    .command('wait')
    .summary('Wait until a room meets a condition')
    .description(
      'Wait until a room is terminated, started (somebody has been in it) or empty, or meets another condition, ' +
        'and show the room. Polls the room, and retries after failures of the network and the service. Exits 9 on timeout.',
    )
    // The command resolves the name later, because the service may not respond yet.
    .addArgument(
      new IdArgument('<room>', `${roomArgumentText}; or - for an ID on standard input`, 'room', true),
    )
    .requiredOption(
      '--for <condition>',
      `${Object.keys(roomStates).join(', ')}, or a condition such as 'online>=2'; repeatable: all must hold at the same time`,
      collect,
    )
    .addOption(
      new Option(
        '--timeout <duration>',
        'maximum time to wait; the timeout of each request does not change',
      ).default('10m', '10m'),
    )
    .addOption(
      new Option('--interval <duration>', 'pause between two polls')
        .argParser(createDurationParser('--interval', { least: 100, most: maxTimeoutMs }))
        .default(2000, '2s'),
    )
    .actLater('waits', async () => (await import('./wait/room.ts')).waitForRoom)
  wait.addExamples(
    'meetroom rooms wait 66f1a2b3c4d5e6f708192a3b --for terminated --timeout 1h',
    "meetroom rooms wait 'name:Weekly sync' --for 'online>=2' -o ids",
    'meetroom rooms wait name:Retro --for started --for empty --interval 10s',
  )
}
