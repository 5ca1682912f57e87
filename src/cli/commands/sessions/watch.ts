import { Option } from 'commander'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { maxTimeoutMs } from '../../../config/values.ts'
import { createDurationParser } from '../../input/input.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../names/arguments.ts'

export function defineSessionWatch(sessions: MeetroomCommand): void {
  const watch = sessions
    .command('watch')
    .summary('Watch participants join and leave a room, or all rooms')
    .description(
      'Watch participants join and leave a room, or all rooms, until q or ^C. On a terminal, updates a view in place; ' +
        'elsewhere, and with --json, prints JSON lines (see: meetroom schema sessions watch). Polls a room every ' +
        'two seconds, and many rooms less often. Does not join, and continues after a failure. Sessions between two polls ' +
        'are not shown; “sessions report” shows them.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option('--all-rooms', 'watch all rooms')
    .addOption(
      new Option('--interval <duration>', 'pause between two polls')
        .argParser(createDurationParser('--interval', { least: 100, most: maxTimeoutMs }))
        .default(2000, '2s'),
    )
    .act(
      'stays',
      async (context, room: string | undefined, flags: { allRooms?: boolean; interval: number }) => {
        const { allRooms = false } = flags
        if (allRooms && room !== undefined) throw createFlagConflict('a room', '--all-rooms')
        if (!allRooms && room === undefined) watch.missingArgument('room')
        const { runWatch } = await import('./watch/watch.ts')
        await runWatch(context, room, flags)
      },
    )
  watch.addExamples(
    'meetroom sessions watch 66f1a2b3c4d5e6f708192a3b',
    "meetroom sessions watch 'name:Weekly sync' --interval 10s -o ndjson",
    'meetroom sessions watch --all-rooms',
  )
}
