import { Option } from 'commander'
import { defined } from '../../api/defined.ts'
import { room } from '../../api/resources.ts'
import { type RoomType, roomTypes } from '../../api/vocabulary.ts'
import { ConflictError, UsageError } from '../../errors.ts'
import type { Act, Context } from '../context.ts'
import { alias, bodyFlags, examples, type ListFlags, requireFields, withPaging } from '../flags.ts'
import {
  type BodyFlags,
  buildBody,
  collect,
  type Given,
  parseHeaders,
  parseMember,
  webUrl,
  wholeNumber,
} from '../input.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'
import { confirmTargets } from '../operations/confirm-targets.ts'
import { listPages, runList } from '../operations/list.ts'
import { runOne, showOne } from '../operations/one.ts'
import { overMany } from '../operations/over-many.ts'
import { plainText } from '../output/text.ts'
import type { Item } from '../output/views.ts'
import { exportCommand, importCommand } from './import-export.ts'

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
  defineCreate(rooms, act)
  defineUpdate(rooms, act)
  defineMany(rooms, act)
  importCommand(rooms, act, 'rooms', {
    summary: 'Create rooms from a file',
    description:
      'Create rooms from a CSV, NDJSON or JSON file with a row each. The whole file is checked before anything is sent. ' +
      'Rows with an id are looked up by it; the service gives new rooms ids of its own.',
    examples: ['meetroom rooms import rooms.csv --dry-run', 'meetroom rooms import rooms.ndjson --rate 20'],
  })
  exportCommand(rooms, act, 'rooms', 'meetroom rooms export > rooms.csv')
}

function defineList(rooms: MeetroomCommand, act: Act): void {
  const list = rooms
    .command('list')
    .summary('List rooms')
    .description('List rooms, newest first where the service is the embedded one.')
    .option('--name <name>', 'only rooms of exactly this name')
    .option('--layout <layout>', 'only rooms with this layout')
    .action(
      act('reads', (context, flags: ListFlags & StateFlags & { name?: string; layout?: string }) => {
        const { name, layout } = flags
        const query = { name, layout, is_terminated: isTerminated(flags) }
        return runList(context, 'listRooms', { query }, flags)
      }),
    )
  withPaging(alias(stateFlags(list), 'ls'))
  examples(list, 'meetroom rooms list --active', 'meetroom rooms list --all -o csv > rooms.csv')
}

function defineGet(rooms: MeetroomCommand, act: Act): void {
  const get = rooms
    .command('get')
    .summary('Show a room')
    .description('Show one room.')
    .argument('<room>', words.id)
    .action(act('reads', (context, id: string) => runOne(context, 'getRoom', { params: { id } })))
  alias(get, 'show')
  examples(
    get,
    'meetroom rooms get 66f1a2b3c4d5e6f708192a3b',
    'meetroom rooms get 66f1a2b3c4d5e6f708192a3b --json',
  )
}

interface CreateFlags extends BodyFlags {
  name?: string
  type?: RoomType
  record?: boolean
  maxMeetingSeconds?: number
  member?: string[]
  webhookUrl?: string
  webhookHeader?: string[]
  ifNotExists?: boolean
}

function defineCreate(rooms: MeetroomCommand, act: Act): void {
  const create = rooms
    .command('create')
    .summary('Create a room')
    .description('Create a room, and invite members to it.')
    .option('--name <name>', words.name)
    .addOption(new Option('--type <type>', words.type).choices(roomTypes))
    .option('--record', words.record)
    .option('--max-meeting-seconds <s>', words.max_meeting_seconds, wholeNumber('--max-meeting-seconds', 1))
    .option('--member <user[:type[:name]]>', `${words.members}; may be repeated`, collect)
    .option('--webhook-url <url>', 'where to announce who enters and leaves', webUrl('--webhook-url'))
    .option('--webhook-header <header>', "header to send along, 'Name: value'; may be repeated", collect)
    .option('--if-not-exists', 'leave a room that has this name already as it is, and show it')
  bodyFlags(create).action(
    act('any', async (context, flags: CreateFlags) => {
      const body = await buildBody<'createRoom'>(flags, settingsFrom(flags), context.host)
      requireFields(body, { name: '--name', type: '--type' })
      if (flags.ifNotExists && (await showExisting(context, body))) return
      await runOne(context, 'createRoom', { body })
    }),
  )
  examples(
    create,
    "meetroom rooms create --name 'Weekly sync' --type private --member ada:host --member grace",
    'meetroom rooms create --name Demo --type open --max-meeting-seconds 3600 --set layout=grid',
  )
}

function settingsFrom(flags: CreateFlags): Given<'createRoom'> {
  const { name, type, record, maxMeetingSeconds: max_meeting_seconds, webhookUrl, webhookHeader } = flags
  if (webhookHeader && !webhookUrl) throw new UsageError('--webhook-header needs --webhook-url')
  const members = flags.member?.map(parseMember)
  const headers = webhookHeader && parseHeaders(webhookHeader)
  const webhook = webhookUrl === undefined ? undefined : { url: webhookUrl, ...defined({ headers }) }
  return { name, type, record, max_meeting_seconds, members, webhook }
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
    .description('Change the settings of a room; what is not named stays as it is.')
    .argument('<room>', words.id)
    .option('--name <name>', words.name)
    .option('--layout <layout>', words.layout)
    .option('--record', words.record)
    .option('--no-record', 'stop recording the meetings in the room')
  bodyFlags(stateFlags(update)).action(
    act('writes', async (context, id: string, flags: UpdateFlags) => {
      const { name, layout, record } = flags
      // The document does not list `record` here, and services have more than it lists.
      const given = { name, layout, record, is_terminated: isTerminated(flags) }
      const body = await buildBody<'updateRoom'>(flags, given, context.host)
      requireFields(body, {})
      if (body.is_terminated === true) await confirmTargets(context, terminating, { ids: [id] })
      await runOne(context, 'updateRoom', { params: { id }, body })
    }),
  )
  examples(update, "meetroom rooms update 66f1a2b3c4d5e6f708192a3b --name 'Weekly sync, new time'")
}

function defineMany(rooms: MeetroomCommand, act: Act): void {
  const common = {
    ids: `${words.id}s, or - to read them from standard input`,
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
      "meetroom rooms terminate --where 'name~^test' --yes --max 100",
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
    call: ['deleteRoom', (id) => ({ params: { id } })],
    examples: [
      'meetroom rooms delete 66f1a2b3c4d5e6f708192a3b',
      "meetroom rooms delete --where 'terminated_at<365d' --dry-run",
    ],
  })
}

/** All rooms of exactly this name. A service that does not know the filter answers with any rooms. */
async function findByName(context: Context, name: string): Promise<Item[]> {
  if (context.flags.curl) return []
  const found: Item[] = []
  for await (const { items } of await listPages(context, 'listRooms', { query: { name } }, { all: true }))
    found.push(...items.filter((item) => item['name'] === name))
  return found
}

/**
 * Shows the room that has this name already, in place of creating it; false when there is none.
 * @throws {ConflictError} when several have it, or the one is of another type
 */
async function showExisting(context: Context, body: Readonly<Record<string, unknown>>): Promise<boolean> {
  const name = String(body['name'])
  const [room, ...others] = await findByName(context, name)
  if (!room) return false
  const id = String(room['id'])
  if (others.length > 0)
    throw new ConflictError(
      `${others.length + 1} rooms are named “${name}”: ${[room, ...others].map((each) => each['id']).join(', ')}`,
      { hint: 'rename or delete all but one of them' },
    )
  const answer = await (await context.client()).call('getRoom', { params: { id } })
  const existing: Item = answer.value.room
  if (existing['type'] !== body['type'])
    throw new ConflictError(`room “${name}” exists (${id}), and is ${existing['type']}, not ${body['type']}`)
  const different = Object.keys(body).filter(
    (field) => Object.hasOwn(existing, field) && plainText(existing[field]) !== plainText(body[field]),
  )
  if (different.length > 0)
    await context.notice(
      `warning: room “${name}” exists and differs in ${different.join(', ')}; it is left as it is`,
    )
  await showOne(context, 'getRoom', answer)
  return true
}
