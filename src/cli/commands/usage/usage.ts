import { Option } from 'commander'
import { createDurationParser, createIntegerParser, parseHtmlFile } from '../../input/input.ts'
import { addPaceFlags, createWhereOption, matchingRooms } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineUsage(usage: MeetroomCommand): void {
  usage
    .description(
      'Report room usage in one month: participants, meetings, minutes, and the peak number of concurrent participants. ' +
        'Deleted rooms are missing, because their sessions are deleted with them.',
    )
    .option('--month <month>', 'month of the report, such as 2026-10, this-month (default) or last-month')
    .option(
      '--min-minutes <n>',
      'count only participants with at least N minutes in a meeting',
      createIntegerParser('--min-minutes', 0),
    )
    .addOption(new Option('--by <subject>', 'subject of each row').choices(['room']))
    .option(
      '--gap <duration>',
      'shortest pause between two meetings of a room (default: 15m)',
      createDurationParser('--gap', {}),
    )
    .option(...createWhereOption(matchingRooms))
    .option('--html <file>', 'also write an HTML report with charts', parseHtmlFile)
    .actLater('reads', async () => (await import('./run-usage.ts')).runUsage)
  addPaceFlags(usage)
  usage.addExamples(
    'meetroom usage',
    'meetroom usage --month 2026-10 --min-minutes 10',
    'meetroom usage --month last-month --by room -o csv > usage.csv',
  )
}
