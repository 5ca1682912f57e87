import { Option } from 'commander'
import { createDurationParser, createIntegerParser, parseHtmlFile } from '../../input/input.ts'
import { addPaceFlags, createWhereOption, matchingRooms } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'
import { groupings } from '../../reports/group-by.ts'

export function defineSessionReport(sessions: MeetroomCommand): void {
  const report = sessions
    .command('report')
    .summary('Report attendance: participants, times and durations')
    .description(
      'Report attendance: participants, times and durations. Concurrent connections of a user count once. The share is ' +
        'relative to the time during which anybody was in the room. Participants who are still connected count up to now. ' +
        "Write a time as 2026-01-31, '2026-01-31 08:00', 2026-01-31T08:00Z, yesterday, 'today 08:00' or 7d (seven days " +
        'ago). A date means the beginning of that day in the time zone.',
    )
    .addArgument(createRoomsArgument())
    .option('--all-rooms', 'report on all rooms')
    .option(...createWhereOption(matchingRooms))
    .option('--from <time>', 'start of the period')
    .option('--to <time>', 'end of the period')
    .option('--period <period>', 'period of the report, such as last-week, 2026-W41 or 2026-10')
    .option('--absent', 'also list absent members, except blocked members')
    .option('--only-absent', 'list only absent members')
    .option(
      '--include-blocked',
      'with --absent, --only-absent or --missed, also list blocked members, and mark them',
    )
    .option(
      '--min-minutes <n>',
      'count as present only participants with at least N minutes in the room',
      createIntegerParser('--min-minutes', 0),
    )
    .option(
      '--missed <n>',
      'with --by user-total, only users who missed at least N meetings of their rooms',
      createIntegerParser('--missed', 1),
    )
    .addOption(
      new Option(
        '--by <subject>',
        'subject of each row; a comma combines it with day, week or month, as in user-total,month',
      )
        .choices(groupings)
        // `parseGrouping` checks combinations later, with more helpful messages.
        .argParser((text: string) => text)
        .default('user'),
    )
    .addOption(
      new Option('--gap <duration>', 'shortest pause between two meetings of a room (default: 15m)')
        .argParser(createDurationParser('--gap', {}))
        .default(undefined, '15m'),
    )
    .option('--html <file>', 'also write an HTML report with timelines', parseHtmlFile)
    .actLater('reads', async () => (await import('./report/run-report.ts')).runSessionReport)
  addPaceFlags(report)
  report.addExamples(
    'meetroom sessions report 66f1a2b3c4d5e6f708192a3b --absent',
    "meetroom sessions report --where 'name~^Lesson' --period yesterday --by meeting --only-absent",
    "meetroom sessions report --where 'name~^Lesson' --from yesterday --to today -o csv > attendance.csv",
    "meetroom sessions report --all-rooms --from '2026-01-31 08:00' --to '2026-01-31 12:00' --html attendance.html",
  )
}
