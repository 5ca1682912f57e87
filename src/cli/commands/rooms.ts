import { Option } from 'commander'
import { room } from '../../api/resources.ts'
import { type BodyFlags, buildBody } from '../body.ts'
import { roomImportFlags } from '../bulk/import-flags.ts'
import type { Act } from '../context.ts'
import {
  alias,
  bodyFlags,
  concurrencyFlag,
  examples,
  type ListFlags,
  requireFields,
  withPaging,
} from '../flags.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'
import { confirmTargets } from '../operations/confirm-targets.ts'
import { runOne } from '../operations/one.ts'
import { overMany } from '../operations/over-many.ts'
import { runList } from '../operations/run-list.ts'
import { roomArgument, roomsWords } from '../room-arguments.ts'
import { saveFlags } from '../saving/flags.ts'
import { exportCommand, importCommand } from './import-export.ts'
import { defineRoomCreate } from './room-create.ts'

const { words } = room

interface StateFlags {
  terminated?: boolean
  active?: boolean
}

/** Adds `--terminated` and `--active`, which mean a filter in a list and a change in an update. */
function stateFlags(command: MeetroomCommand): MeetroomCommand {
  return command
    .addOption(new Option('--terminated', 'terminated').conflicts('active'))
    .addOption(new Option('--active', 'not terminated').conflicts('terminated'))
}

const terminating = {
  verb: 'terminate',
  doing: 'terminating',
  get: ['getRoom', (id: string) => ({ params: { id } })],
} as const

const isTerminated = (flags: StateFlags) => (flags.terminated ? true : flags.active ? false : undefined)

export function defineRooms(rooms: MeetroomCommand, act: Act): void {
  defineList(rooms, act)
  defineGet(rooms, act)
  defineRoomCreate(rooms, act)
  defineUpdate(rooms, act)
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

function defineList(rooms: MeetroomCommand, act: Act): void {
  const list = rooms
    .command('list')
    .summary('List rooms')
    .description('List rooms. The embedded service lists the newest first.')
    .option('--name <name>', 'only rooms with exactly this name')
    .option('--layout <layout>', 'only rooms with this layout')
    .action(
      act('reads', (context, flags: ListFlags & StateFlags & { name?: string; layout?: string }) => {
        const { name, layout } = flags
        const query = { name, layout, is_terminated: isTerminated(flags) }
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

function defineGet(rooms: MeetroomCommand, act: Act): void {
  const get = rooms
    .command('get')
    .summary('Show a room')
    .description('Show one room.')
    .argument(...roomArgument)
    .action(act('reads', (context, id: string) => runOne(context, 'getRoom', { params: { id } })))
  alias(get, 'show')
  examples(get, "meetroom rooms get 'name:Weekly sync'", 'meetroom rooms get 66f1a2b3c4d5e6f708192a3b --json')
}

interface UpdateFlags extends BodyFlags, StateFlags {
  name?: string
  layout?: string
  record?: boolean
}

function defineUpdate(rooms: MeetroomCommand, act: Act): void {
  const update = rooms
    .command('update')
    .summary('Change the settings of a room')
    .description('Change the settings of a room; everything else stays as it is.')
    .argument(...roomArgument)
    .option('--name <name>', words.name)
    .option('--layout <layout>', words.layout)
    .option('--record', words.record)
    .option('--no-record', 'stop recording the meetings in the room')
  bodyFlags(stateFlags(update)).action(
    act('writes', async (context, id: string, flags: UpdateFlags) => {
      const { name, layout, record } = flags
      // The document does not list `record` here, and services have more than it lists.
      const given = {
        '--name': { name },
        '--layout': { layout },
        [record === false ? '--no-record' : '--record']: { record },
        [flags.active ? '--active' : '--terminated']: { is_terminated: isTerminated(flags) },
      }
      const body = await buildBody(context, 'updateRoom', flags, given)
      requireFields(body, {})
      if (body.is_terminated === true) await confirmTargets(context, terminating, { ids: [id] })
      await runOne(context, 'updateRoom', { params: { id }, body })
    }),
  )
  examples(update, "meetroom rooms update 66f1a2b3c4d5e6f708192a3b --name 'Weekly sync, new time'")
}

function defineMany(rooms: MeetroomCommand, act: Act): void {
  const common = {
    ids: roomsWords,
    list: 'listRooms',
    get: terminating.get,
  } as const
  const setTerminated = (is_terminated: boolean) =>
    ['updateRoom', (id: string) => ({ params: { id }, body: { is_terminated } })] as const
  overMany(rooms, act, {
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
  overMany(rooms, act, {
    ...common,
    verb: 'reopen',
    doing: 'reopening',
    past: 'reopened',
    summary: 'Reopen terminated rooms',
    description: 'Reopen rooms that were terminated.',
    call: setTerminated(false),
    examples: ['meetroom rooms reopen 66f1a2b3c4d5e6f708192a3b'],
  })
  overMany(rooms, act, {
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
