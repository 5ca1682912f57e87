import { type Command, Option } from 'commander'
import { fields, roomTypes } from '../../api/vocabulary.ts'
import { UsageError } from '../../errors.ts'
import { type ImportFlags, importFlags } from '../bulk/import-flags.ts'
import { confirm, describeThings, extent } from '../confirm.ts'
import type { Act, Context } from '../context.ts'
import {
  alias,
  bodyFlags,
  examples,
  type ListFlags,
  type ManyFlags,
  manyFlags,
  requireFields,
  withPaging,
} from '../flags.ts'
import {
  type BodyFlags,
  buildBody,
  collect,
  encodeUrl,
  parseHeaders,
  parseMember,
  wholeNumber,
} from '../input.ts'
import { listPages, runList } from '../operations/list.ts'
import { runEach } from '../operations/many.ts'
import { runOne } from '../operations/one.ts'
import { readTargets } from '../operations/targets.ts'
import { exportCommand, importFile } from './import-export.ts'

const words = fields.room

interface StateFlags {
  terminated?: boolean
  active?: boolean
}

const terminated = () => new Option('--terminated', 'terminated').conflicts('active')
const active = () => new Option('--active', 'not terminated').conflicts('terminated')
const isTerminated = (flags: StateFlags) => (flags.terminated ? true : flags.active ? false : undefined)

interface CreateFlags extends BodyFlags {
  name?: string
  type?: string
  record?: boolean
  maxMeetingSeconds?: number
  member?: string[]
  webhookUrl?: string
  webhookHeader?: string[]
  ifNotExists?: boolean
}

export function defineRooms(rooms: Command, act: Act): void {
  const list = rooms
    .command('list')
    .summary('List rooms')
    .description('List rooms, newest first where the service is the embedded one.')
    .option('--name <name>', 'only rooms of exactly this name')
    .option('--layout <layout>', 'only rooms with this layout')
    .addOption(terminated())
    .addOption(active())
    .action(
      act((context, flags: ListFlags & StateFlags & { name?: string; layout?: string }) =>
        runList(
          context,
          'listRooms',
          {
            query: {
              name: flags.name,
              layout: flags.layout,
              is_terminated: isTerminated(flags),
            } as object,
          },
          flags,
        ),
      ),
    )
  withPaging(alias(list, 'ls'))
  examples(list, 'meetroom rooms list --active', 'meetroom rooms list --all -o csv > rooms.csv')

  const get = rooms
    .command('get')
    .summary('Show a room')
    .description('Show one room.')
    .argument('<room>', words.id)
    .action(act((context, id: string) => runOne(context, 'getRoom', { params: { id } })))
  alias(get, 'show')
  examples(
    get,
    'meetroom rooms get 66f1a2b3c4d5e6f708192a3b',
    'meetroom rooms get 66f1a2b3c4d5e6f708192a3b --json',
  )

  const create = rooms
    .command('create')
    .summary('Create a room')
    .description('Create a room, and invite members to it.')
    .option('--name <name>', words.name)
    .addOption(new Option('--type <type>', words.type).choices(roomTypes))
    .option('--record', words.record)
    .option('--max-meeting-seconds <s>', words.max_meeting_seconds, wholeNumber('--max-meeting-seconds', 1))
    .option('--member <user[:type[:name]]>', `${words.members}; may be repeated`, collect)
    .option('--webhook-url <url>', 'where to announce who enters and leaves', encodeUrl('--webhook-url'))
    .option('--webhook-header <header>', "header to send along, 'Name: value'; may be repeated", collect)
    .option('--if-not-exists', 'leave a room that has this name already as it is, and show it')
  bodyFlags(create).action(
    act(async (context, flags: CreateFlags) => {
      if (flags.webhookHeader && !flags.webhookUrl)
        throw new UsageError('--webhook-header needs --webhook-url')
      const { name, type, record, maxMeetingSeconds: max_meeting_seconds } = flags
      const members = flags.member?.map(parseMember)
      const webhook = flags.webhookUrl && {
        url: flags.webhookUrl,
        ...(flags.webhookHeader ? { headers: parseHeaders(flags.webhookHeader) } : {}),
      }
      const given = {
        name,
        type,
        record,
        max_meeting_seconds,
        members,
        webhook,
      }
      const body = await buildBody(flags, given, context.host)
      requireFields(body, { name: '--name', type: '--type' })
      const existing = flags.ifNotExists ? await findByName(context, String(body['name'])) : undefined
      if (existing !== undefined) return runOne(context, 'getRoom', { params: { id: existing } })
      await runOne(context, 'createRoom', { body: body as never })
    }),
  )
  examples(
    create,
    "meetroom rooms create --name 'Weekly sync' --type private --member ada:host --member grace",
    'meetroom rooms create --name Demo --type open --max-meeting-seconds 3600 --set layout=grid',
  )

  const update = rooms
    .command('update')
    .summary('Change the settings of a room')
    .description('Change the settings of a room; what is not named stays as it is.')
    .argument('<room>', words.id)
    .option('--name <name>', words.name)
    .addOption(terminated())
    .addOption(active())
  bodyFlags(update).action(
    act(async (context, id: string, flags: BodyFlags & StateFlags & { name?: string }) => {
      const body = await buildBody(
        flags,
        { name: flags.name, is_terminated: isTerminated(flags) },
        context.host,
      )
      requireFields(body, {})
      await runOne(context, 'updateRoom', { params: { id }, body })
    }),
  )
  examples(update, "meetroom rooms update 66f1a2b3c4d5e6f708192a3b --name 'Weekly sync, new time'")

  const terminate = rooms
    .command('terminate')
    .summary('Terminate rooms')
    .description('Terminate rooms: their sessions end.')
    .argument('[room...]', `${words.id}s, or - to read them from standard input`)
    .action(
      act(async (context, given: string[], flags: ManyFlags) => {
        const ids = await readTargets(context, { given, flags, list: 'listRooms' })
        await confirm(
          context,
          'terminate rooms',
          () => describeThings(context, 'Terminate', 'getRoom', ids, flags),
          extent(ids, flags),
        )
        await runEach(
          context,
          'updateRoom',
          ids,
          (id) => ({ params: { id }, body: { is_terminated: true } }),
          'terminated',
          flags,
        )
      }),
    )
  manyFlags(terminate)
  examples(
    terminate,
    'meetroom rooms terminate 66f1a2b3c4d5e6f708192a3b',
    "meetroom rooms terminate --where 'name~^test' --yes --max 100",
    'meetroom rooms list --active --all -o ids | meetroom rooms terminate - --yes',
  )

  const reopen = rooms
    .command('reopen')
    .summary('Reopen terminated rooms')
    .description('Reopen rooms that were terminated.')
    .argument('[room...]', `${words.id}s, or - to read them from standard input`)
    .action(
      act(async (context, given: string[], flags: ManyFlags) => {
        const ids = await readTargets(context, { given, flags, list: 'listRooms' })
        await runEach(
          context,
          'updateRoom',
          ids,
          (id) => ({ params: { id }, body: { is_terminated: false } }),
          'reopened',
          flags,
        )
      }),
    )
  manyFlags(reopen)
  examples(reopen, 'meetroom rooms reopen 66f1a2b3c4d5e6f708192a3b')

  const remove = rooms
    .command('delete')
    .summary('Delete rooms')
    .description('Delete rooms with everything in them.')
    .argument('[room...]', `${words.id}s, or - to read them from standard input`)
    .action(
      act(async (context, given: string[], flags: ManyFlags) => {
        const ids = await readTargets(context, { given, flags, list: 'listRooms' })
        await confirm(
          context,
          'delete rooms',
          () => describeThings(context, 'Delete', 'getRoom', ids, flags),
          extent(ids, flags),
        )
        await runEach(context, 'deleteRoom', ids, (id) => ({ params: { id } }), 'deleted', flags)
      }),
    )
  manyFlags(alias(remove, 'rm'))
  examples(
    remove,
    'meetroom rooms delete 66f1a2b3c4d5e6f708192a3b',
    "meetroom rooms delete --where 'terminated_at<365d' --dry-run",
  )

  const load = rooms
    .command('import')
    .summary('Create rooms from a file')
    .description(
      'Create rooms from a CSV, NDJSON or JSON file with a row each. The whole file is checked before anything is sent. ' +
        'Rows with an id are looked up by it; the service gives new rooms ids of its own.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .action(act((context, file: string, flags: ImportFlags) => importFile(context, 'rooms', file, flags)))
  importFlags(load)
  examples(load, 'meetroom rooms import rooms.csv --dry-run', 'meetroom rooms import rooms.ndjson --rate 20')

  exportCommand(rooms, act, 'rooms', 'meetroom rooms export > rooms.csv')
}

/** A room of exactly this name. A service that knows no filter by name answers with any rooms. */
async function findByName(context: Context, name: string): Promise<string | undefined> {
  if (context.flags.curl) return undefined
  for await (const { items } of await listPages(context, 'listRooms', { query: { name } }, { all: true })) {
    const room = items.find((item) => item['name'] === name)
    if (room) return String(room['id'])
  }
  return undefined
}
