import { Option } from 'commander'
import { createDurationParser, createIntegerParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'
import { groupings } from '../../reports/group-by.ts'
import type { ReportFlags } from './report/run-report.ts'

export function defineSessionReport(sessions: MeetroomCommand, act: DefineAction): void {
  const report = sessions
    .command('report')
    .summary('Report attendance: who was in rooms, when and for how long')
    .description(
      'Report attendance: who was in rooms, when and for how long. Overlapping connections of a user count ' +
        'once, and the share is relative to the time in which the room was not empty. Users who are still connected count up to now. A time is ' +
        'given as in 2026-01-31, “2026-01-31 08:00”, 2026-01-31T08:00Z, yesterday, “today 08:00” or 7d for seven days ago; ' +
        'a date means its beginning, in the zone of --time-zone.',
    )
    .addArgument(createRoomsArgument())
    .option('--all-rooms', 'report on every room')
    .option(
      whereOption[0],
      "report on the rooms that match, as in 'type=private'; repeatable",
      whereOption[2],
    )
    .option('--from <time>', 'count only the time from this time on')
    .option('--to <time>', 'count only the time before this time')
    .option('--period <period>', 'count only this period, such as yesterday, last-week or 2026-10')
    .option('--absent', 'also list invited members who did not come, except blocked members')
    .option('--only-absent', 'like --absent, without the people who were present')
    .option('--include-blocked', 'with --absent or --only-absent, also list blocked members, and mark them')
    .option(
      '--min-minutes <n>',
      'count as present only participants who were there for at least N minutes',
      createIntegerParser('--min-minutes', 0),
    )
    .option(
      '--missed <n>',
      'with --by user-total, only people who missed at least N meetings of rooms that they are invited to',
      createIntegerParser('--missed', 1),
    )
    .addOption(
      new Option(
        '--by <what>',
        'subject of each row; a comma combines it with day, week or month, as in user-total,month',
      )
        .choices(groupings)
        // Combinations are checked later, with more helpful messages.
        .argParser((text: string) => text)
        .default('user'),
    )
    .addOption(
      new Option('--gap <duration>', 'shortest pause between two meetings of a room')
        .argParser(createDurationParser('--gap', {}))
        .default(undefined, '15m'),
    )
    .option('--html <file>', 'also write a web page with time lines')
    .action(
      act('reads', async (context, rooms: string[], flags: ReportFlags) => {
        const { runSessionReport } = await import('./report/run-report.ts')
        await runSessionReport(context, rooms, flags)
      }),
    )
  addPaceFlags(report)
  addExamples(
    report,
    'meetroom sessions report 66f1a2b3c4d5e6f708192a3b --absent',
    "meetroom sessions report --where 'name~^Lesson' --period yesterday --by meeting --only-absent",
    "meetroom sessions report --where 'name~^Lesson' --from yesterday --to today -o csv > attendance.csv",
    "meetroom sessions report --all-rooms --from '2026-01-31 08:00' --to '2026-01-31 12:00' --html attendance.html",
  )
}
