import { Option } from 'commander'
import { groupings } from '../../attendance/groupings.ts'
import { integerParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomsArgument } from '../../lists/room-arguments.ts'
import type { ReportFlags } from './report/write-report.ts'

export function defineSessionReport(sessions: MeetroomCommand, act: DefineAction): void {
  const report = sessions
    .command('report')
    .summary('Report attendance: who was in rooms, when and for how long')
    .description(
      'Report attendance: who was in rooms, when and for how long. The time of a user with several connections at once counts ' +
        'once, and the share is that of the time in which anybody was there. Who is still there counts up to now. A time is ' +
        'given as in 2026-01-31, “2026-01-31 08:00”, 2026-01-31T08:00Z, yesterday, “today 08:00” or 7d for seven days ago; ' +
        'a date means its beginning, and without a zone it is the time of this machine.',
    )
    .addArgument(roomsArgument())
    .option('--all-rooms', 'report on every room')
    .option(
      whereOption[0],
      "report on the rooms that match, as in 'type=private'; repeatable",
      whereOption[2],
    )
    .option('--from <time>', 'count only what is from this time on')
    .option('--to <time>', 'count only what is before this time')
    .option('--absent', 'list who was invited and did not come as well, without members who are blocked')
    .option('--include-blocked', 'with --absent, list members who are blocked as well, and say who is')
    .option(
      '--min-minutes <n>',
      'count as present only who was there for at least N minutes',
      integerParser('--min-minutes', 0),
    )
    .addOption(new Option('--by <what>', 'what a row is about').choices(groupings).default('user'))
    .option('--html <file>', 'also write a web page with time lines')
    .action(
      act('reads', async (context, rooms: string[], flags: ReportFlags) => {
        const { runReport } = await import('./report/report.ts')
        await runReport(context, rooms, flags)
      }),
    )
  addPaceFlags(report)
  addExamples(
    report,
    'meetroom sessions report 66f1a2b3c4d5e6f708192a3b --absent',
    "meetroom sessions report --where 'name~^Lesson' --from yesterday --to today -o csv > attendance.csv",
    "meetroom sessions report --all-rooms --from '2026-01-31 08:00' --to '2026-01-31 12:00' --html attendance.html",
  )
}
