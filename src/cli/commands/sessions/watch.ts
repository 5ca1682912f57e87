import { Option } from 'commander'
import { maxTimeoutMs } from '../../../config/values.ts'
import { durationParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'

export function defineSessionWatch(sessions: MeetroomCommand, act: DefineAction): void {
  const watch = sessions
    .command('watch')
    .summary('Follow a room: who is in it, who joins and who leaves')
    .description(
      'Follow a room until q or ^C: who is in it, who joins and who leaves. On a terminal it is a view, which is drawn in place; ' +
        'elsewhere, and with --json, one JSON object a line (see: meetroom schema sessions watch). It looks at the room every ' +
        'two seconds, does not take part in it, and goes on when the service was away. Who comes and goes between two looks ' +
        'is not noticed; “sessions report” tells of everybody.',
    )
    .addArgument(new RoomArgument())
    .addOption(
      new Option('--interval <duration>', 'pause between two looks')
        .argParser(durationParser('--interval', { least: 100, most: maxTimeoutMs }))
        .default(2000, '2s'),
    )
    .action(
      act('stays', async (context, room: string, flags: { interval: number }) => {
        const { runWatch } = await import('./watch/watch.ts')
        await runWatch(context, room, flags)
      }),
    )
  addExamples(
    watch,
    'meetroom sessions watch 66f1a2b3c4d5e6f708192a3b',
    "meetroom sessions watch 'name:Weekly sync' --interval 10s -o ndjson",
  )
}
