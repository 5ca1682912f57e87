import { Option } from 'commander'
import { longestWaitMs } from '../../../config/values.ts'
import { groupings } from '../../attendance/groupings.ts'
import { duration, wholeNumber } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { alias, examples, type ListFlags, paceFlags, whereOption, withPaging } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomArgument, roomsArgumentText } from '../../lists/room-arguments.ts'
import { runList } from '../../lists/run-list.ts'
import type { ReportFlags } from './report/write-report.ts'

interface Flags extends ListFlags {
  user?: string
  online?: boolean
  offline?: boolean
}

export function defineSessions(sessions: MeetroomCommand, act: DefineAction): void {
  defineList(sessions, act)
  defineReport(sessions, act)
  defineWatch(sessions, act)
}

function defineList(sessions: MeetroomCommand, act: DefineAction): void {
  const list = sessions
    .command('list')
    .summary('List the sessions of a room')
    .description('List the sessions of a room: who is connected and who was.')
    .argument(...roomArgument)
    .option('--user <user>', 'only sessions of this user')
    .addOption(new Option('--online', 'only sessions that are connected').conflicts('offline'))
    .addOption(new Option('--offline', 'only sessions that have ended').conflicts('online'))
    .action(
      act('reads', (context, room_id: string, flags: Flags) => {
        const is_connecting = flags.online ? true : flags.offline ? false : undefined
        const query = { user_id: flags.user, is_connecting }
        return runList(context, 'listSessions', { params: { room_id }, query }, flags)
      }),
    )
  withPaging(alias(list, 'ls'))
  examples(list, 'meetroom sessions list 66f1a2b3c4d5e6f708192a3b --online')
}

function defineReport(sessions: MeetroomCommand, act: DefineAction): void {
  const report = sessions
    .command('report')
    .summary('Report attendance: who was in rooms, when and for how long')
    .description(
      'Report attendance: who was in rooms, when and for how long. The time of a user with several connections at once counts ' +
        'once, and the share is that of the time in which anybody was there. Who is still there counts up to now. A time is ' +
        'given as in 2026-01-31, “2026-01-31 08:00”, 2026-01-31T08:00Z, yesterday, “today 08:00” or 7d for seven days ago; ' +
        'a date means its beginning, and without a zone it is the time of this machine.',
    )
    .argument('[room...]', roomsArgumentText)
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
      wholeNumber('--min-minutes', 0),
    )
    .addOption(new Option('--by <what>', 'what a row is about').choices(groupings).default('user'))
    .option('--html <file>', 'also write a web page with time lines')
    .action(
      act('reads', async (context, rooms: string[], flags: ReportFlags) => {
        const { runReport } = await import('./report/report.ts')
        await runReport(context, rooms, flags)
      }),
    )
  paceFlags(report)
  examples(
    report,
    'meetroom sessions report 66f1a2b3c4d5e6f708192a3b --absent',
    "meetroom sessions report --where 'name~^Lesson' --from yesterday --to today -o csv > attendance.csv",
    "meetroom sessions report --all-rooms --from '2026-01-31 08:00' --to '2026-01-31 12:00' --html attendance.html",
  )
}

function defineWatch(sessions: MeetroomCommand, act: DefineAction): void {
  const watch = sessions
    .command('watch')
    .summary('Follow a room: who is in it, who joins and who leaves')
    .description(
      'Follow a room until q or ^C: who is in it, who joins and who leaves. On a terminal it is a view, which is drawn in place; ' +
        'elsewhere, and with --json, one JSON object a line (see: meetroom schema sessions watch). It looks at the room every ' +
        'two seconds, does not take part in it, and goes on when the service was away. Who comes and goes between two looks ' +
        'is not noticed; “sessions report” tells of everybody.',
    )
    .argument(...roomArgument)
    .addOption(
      new Option('--interval <duration>', 'pause between two looks')
        .argParser(duration('--interval', { least: 100, most: longestWaitMs }))
        .default(2000, '2s'),
    )
    .action(
      act('stays', async (context, room: string, flags: { interval: number }) => {
        const { runWatch } = await import('./watch/watch.ts')
        await runWatch(context, room, flags)
      }),
    )
  examples(
    watch,
    'meetroom sessions watch 66f1a2b3c4d5e6f708192a3b',
    "meetroom sessions watch 'name:Weekly sync' --interval 10s -o ndjson",
  )
}
