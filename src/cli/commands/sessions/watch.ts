import { Option } from 'commander'
import { maxTimeoutMs } from '../../../config/values.ts'
import { createDurationParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../names/arguments.ts'

export function defineSessionWatch(sessions: MeetroomCommand, act: DefineAction): void {
  const watch = sessions
    .command('watch')
    .summary('Follow a room: who is in it, who joins and who leaves')
    .description(
      'Follow a room until q or ^C: who is in it, who joins and who leaves. On a terminal, it shows a view that updates in place; ' +
        'elsewhere, and with --json, it prints one JSON object per line (see: meetroom schema sessions watch). It polls the room every ' +
        'two seconds without joining it, and continues after a failure. Visits between two polls ' +
        'are not shown; “sessions report” shows them.',
    )
    .addArgument(new RoomArgument())
    .addOption(
      new Option('--interval <duration>', 'pause between two polls')
        .argParser(createDurationParser('--interval', { least: 100, most: maxTimeoutMs }))
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
