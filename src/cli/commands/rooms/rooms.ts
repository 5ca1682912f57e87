import { saveFlags } from '../../backup/flags.ts'
import { defineBatchCommand } from '../../batch/define-batch-command.ts'
import { roomImportFlags } from '../../bulk/read/import-flags.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { alias, concurrencyFlag, examples, type ListFlags, withPaging } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomArgument, roomsArgumentText } from '../../lists/room-arguments.ts'
import { runList } from '../../lists/run-list.ts'
import { runOne } from '../../lists/run-one.ts'
import { exportCommand, importCommand } from '../shared/import-export.ts'
import { defineRoomCreate } from './create.ts'
import { type StateFlags, setTerminated, stateFlags, stateOf, terminating } from './state.ts'
import { defineRoomUpdate } from './update.ts'
import { defineRoomWait } from './wait.ts'

export function defineRooms(rooms: MeetroomCommand, act: DefineAction): void {
  defineList(rooms, act)
  defineGet(rooms, act)
  defineRoomWait(rooms, act)
  defineRoomCreate(rooms, act)
  defineRoomUpdate(rooms, act)
  defineMany(rooms, act)
  importCommand(
    rooms,
    act,
    'rooms',
    {
      summary: 'Create rooms from a file',
      description:
        'Create rooms from a CSV, NDJSON or JSON file with one row each. The whole file is checked before anything is sent. ' +
        'Rows are looked up by their id, or by --match; the service gives new rooms ids of its own.',
      examples: [
        'meetroom rooms import rooms.csv --dry-run',
        'meetroom rooms import courses.csv --match name --if-exists update',
      ],
    },
    roomImportFlags,
  )
  exportCommand(rooms, act, 'rooms', 'meetroom rooms export > rooms.csv')
}

function defineList(rooms: MeetroomCommand, act: DefineAction): void {
  const list = rooms
    .command('list')
    .summary('List rooms')
    .description('List rooms. The embedded service lists the newest first.')
    .option('--name <name>', 'only rooms with exactly this name')
    .option('--layout <layout>', 'only rooms with this layout')
    .action(
      act('reads', (context, flags: ListFlags & StateFlags & { name?: string; layout?: string }) => {
        const { name, layout } = flags
        const query = { name, layout, ...stateOf(flags) }
        return runList(context, 'listRooms', { query }, flags)
      }),
    )
  concurrencyFlag(
    withPaging(alias(stateFlags(list), 'ls')),
    'number of rooms that --where looks into at once',
  )
  examples(
    list,
    'meetroom rooms list --active',
    "meetroom rooms list --where 'online>0'",
    'meetroom rooms list --all -o csv > rooms.csv',
  )
}

function defineGet(rooms: MeetroomCommand, act: DefineAction): void {
  const get = rooms
    .command('get')
    .summary('Show a room')
    .description('Show one room.')
    .argument(...roomArgument)
    .action(act('reads', (context, id: string) => runOne(context, 'getRoom', { params: { id } })))
  alias(get, 'show')
  examples(get, "meetroom rooms get 'name:Weekly sync'", 'meetroom rooms get 66f1a2b3c4d5e6f708192a3b --json')
}

function defineMany(rooms: MeetroomCommand, act: DefineAction): void {
  const common = {
    ids: roomsArgumentText,
    list: 'listRooms',
    get: terminating.get,
  } as const
  defineBatchCommand(rooms, act, {
    ...common,
    ...terminating,
    past: 'terminated',
    summary: 'Terminate rooms',
    description: 'Terminate rooms: their sessions end.',
    destructive: true,
    call: setTerminated(true),
    examples: [
      'meetroom rooms terminate 66f1a2b3c4d5e6f708192a3b',
      "meetroom rooms terminate 'name:Weekly sync'",
      "meetroom rooms terminate --where 'name~^test' --yes --max 100",
      "meetroom rooms terminate --where 'idle>90d' --where 'status=active' --dry-run",
      'meetroom rooms list --active --all -o ids | meetroom rooms terminate - --yes',
    ],
  })
  defineBatchCommand(rooms, act, {
    ...common,
    verb: 'reopen',
    doing: 'reopening',
    past: 'reopened',
    summary: 'Reopen terminated rooms',
    description: 'Reopen rooms that were terminated.',
    call: setTerminated(false),
    examples: ['meetroom rooms reopen 66f1a2b3c4d5e6f708192a3b'],
  })
  defineBatchCommand(rooms, act, {
    ...common,
    verb: 'delete',
    doing: 'deleting',
    past: 'deleted',
    alias: 'rm',
    summary: 'Delete rooms',
    description: 'Delete rooms with everything in them.',
    destructive: true,
    deletes: 'rooms',
    flags: saveFlags,
    call: ['deleteRoom', (id) => ({ params: { id } })],
    examples: [
      'meetroom rooms delete 66f1a2b3c4d5e6f708192a3b',
      "meetroom rooms delete --where 'terminated_at<365d' --dry-run",
      "meetroom rooms delete --where 'terminated_at<365d' --save deleted-rooms.ndjson",
    ],
  })
}
