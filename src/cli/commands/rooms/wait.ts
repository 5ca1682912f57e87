import { Option } from 'commander'
import { maxTimeoutMs } from '../../../config/values.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { collect, durationParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomArgumentText } from '../../lists/room-arguments.ts'
import type { WaitFlags } from './wait/room.ts'
import { roomStates } from './wait/states.ts'

export function defineRoomWait(rooms: MeetroomCommand, act: DefineAction): void {
  const wait = rooms
    .command('wait')
    .summary('Wait until a condition holds of a room')
    .description(
      'Wait until a room is terminated, started (somebody has ever been in it) or empty, or until another condition holds, ' +
        'and show it. Meanwhile it is read again and again, through failures of network and service. Exit code 9 means ' +
        'that the time was up before.',
    )
    // The wait looks names up itself, once the service answers.
    .addArgument(
      new IdArgument('<room>', `${roomArgumentText}; or - to read an id from standard input`, 'room', true),
    )
    .requiredOption(
      '--for <condition>',
      `${Object.keys(roomStates).join(', ')}, or a condition as in 'online>=2'; repeatable, all must hold at once`,
      collect,
    )
    .addOption(
      new Option(
        '--timeout <duration>',
        'how long to wait in all; each request keeps the deadline of the settings',
      ).default('10m', '10m'),
    )
    .addOption(
      new Option('--interval <duration>', 'pause between two looks')
        .argParser(durationParser('--interval', { least: 100, most: maxTimeoutMs }))
        .default(2000, '2s'),
    )
    .action(
      act('waits', async (context, room: string, flags: WaitFlags) => {
        const { waitForRoom } = await import('./wait/room.ts')
        await waitForRoom(context, room, flags)
      }),
    )
  addExamples(
    wait,
    'meetroom rooms wait 66f1a2b3c4d5e6f708192a3b --for terminated --timeout 1h',
    "meetroom rooms wait 'name:Weekly sync' --for 'online>=2' -o ids",
    'meetroom rooms wait name:Retro --for started --for empty --interval 10s',
  )
}
