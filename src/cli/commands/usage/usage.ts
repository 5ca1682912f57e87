import { Option } from 'commander'
import { createDurationParser, createIntegerParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { UsageFlags } from './run-usage.ts'

export function defineUsage(usage: MeetroomCommand, act: DefineAction): void {
  usage
    .description(
      'Show how much the rooms of the service were used in a month: participants, meetings, minutes, and the peak number of concurrent participants. ' +
        'Deleted rooms are missing, because their sessions are deleted with them.',
    )
    .option('--month <month>', 'such as 2026-10, this-month (default) or last-month')
    .option(
      '--min-minutes <n>',
      'count only people who were in a meeting for at least N minutes',
      createIntegerParser('--min-minutes', 0),
    )
    .addOption(new Option('--by <what>', 'one row for each room').choices(['room']))
    .addOption(
      new Option('--gap <duration>', 'shortest pause between two meetings of a room (default 15m)').argParser(
        createDurationParser('--gap', {}),
      ),
    )
    .option(whereOption[0], "only rooms that match, as in 'type=private'; repeatable", whereOption[2])
    .option('--html <file>', 'also write a web page with charts')
    .action(
      act('reads', async (context, flags: UsageFlags) => {
        const { runUsage } = await import('./run-usage.ts')
        await runUsage(context, flags)
      }),
    )
  addPaceFlags(usage)
  addExamples(
    usage,
    'meetroom usage',
    'meetroom usage --month 2026-10 --min-minutes 10',
    'meetroom usage --month last-month --by room -o csv > usage.csv',
  )
}
