import { type Command, Option } from 'commander'
import { fields, type MemberType, memberTypes } from '../../api/vocabulary.ts'
import { UsageError } from '../../errors.ts'
import { type ImportFlags, importFlags } from '../bulk/import-flags.ts'
import { confirm, extent, placeOf } from '../confirm.ts'
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
import { type BodyFlags, buildBody } from '../input.ts'
import { listPages, runList } from '../operations/list.ts'
import { runEach } from '../operations/many.ts'
import { orUndefined, runOne } from '../operations/one.ts'
import { readTargets } from '../operations/targets.ts'
import { plainText } from '../output/text.ts'
import { exportCommand, importFile } from './import-export.ts'

const words = fields.member
const roomArgument = ['<room>', fields.room.id] as const
const typeFlag = () => new Option('--type <type>', words.type).choices(memberTypes)

interface UpdateFlags extends BodyFlags {
  name?: string
  type?: MemberType
  blocked?: boolean
  unblocked?: boolean
}

interface AddFlags extends BodyFlags {
  type?: MemberType
  ifNotExists?: boolean
}

export function defineMembers(members: Command, act: Act): void {
  const list = members
    .command('list')
    .summary('List the members of a room')
    .description('List the members of a room.')
    .argument(...roomArgument)
    .action(
      act((context, room_id: string, flags: ListFlags) =>
        runList(context, 'listMembers', { params: { room_id }, query: {} }, flags),
      ),
    )
  withPaging(alias(list, 'ls'))
  examples(list, 'meetroom members list 66f1a2b3c4d5e6f708192a3b --all')

  const get = members
    .command('get')
    .summary('Show a member of a room')
    .description('Show one member of a room.')
    .argument(...roomArgument)
    .argument('<member>', words.id)
    .action(
      act((context, room_id: string, member_id: string) =>
        runOne(context, 'getMember', { params: { room_id, member_id } }),
      ),
    )
  alias(get, 'show')
  examples(get, 'meetroom members get 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c')

  const add = members
    .command('add')
    .summary('Invite a user to a room')
    .description('Invite a user to a room, in the role given or else in the user’s default one.')
    .argument(...roomArgument)
    .argument('<user>', words.user_id)
    .addOption(typeFlag())
    .option('--if-not-exists', 'leave a user who is a member already as it is, and show the member')
  bodyFlags(add).action(
    act(async (context, room_id: string, user_id: string, flags: AddFlags) => {
      const body = await buildBody(flags, { user_id, type: flags.type }, context.host)
      const existing = flags.ifNotExists && (await findMember(context, room_id, String(body['user_id'])))
      if (existing) return runOne(context, 'getMember', { params: { room_id, member_id: existing } })
      await runOne(context, 'addMember', {
        params: { room_id },
        body: body as { user_id: string },
      })
    }),
  )
  examples(add, 'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --type host')

  const update = members
    .command('update')
    .summary('Change a member’s name, role or block')
    .description('Change the display name or the role of a member, or block and unblock the member.')
    .argument(...roomArgument)
    .argument('<member>', words.id)
    .option('--name <name>', words.name)
    .addOption(typeFlag())
    .addOption(new Option('--blocked', words.is_blocked).conflicts('unblocked'))
    .addOption(new Option('--unblocked', 'let the user in again').conflicts('blocked'))
  bodyFlags(update).action(
    act(async (context, room_id: string, member_id: string, flags: UpdateFlags) => {
      const is_blocked = flags.blocked ? true : flags.unblocked ? false : undefined
      const body = await buildBody(flags, { name: flags.name, type: flags.type, is_blocked }, context.host)
      requireFields(body, {})
      await runOne(context, 'updateMember', {
        params: { room_id, member_id },
        body,
      })
    }),
  )
  examples(
    update,
    "meetroom members update 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c --name 'Dr. Ada'",
  )

  const block = members
    .command('block')
    .summary('Kick members out of a private room and keep them out')
    .description(
      'Kick members out of a private room at once, and keep them out. Works only on private rooms.',
    )
    .argument(...roomArgument)
    .argument('[member...]', `${words.id}s, or - to read them from standard input`)
    .option('--force', 'send it even if the room is not private')
    .action(
      act(async (context, room_id: string, given: string[], flags: ManyFlags & { force?: boolean }) => {
        const ids = await readMembers(context, room_id, given, flags)
        if (!flags.force) await requirePrivateRoom(context, room_id)
        await confirm(
          context,
          'block members',
          () => describeMembers(context, room_id, ids, flags),
          extent(ids, flags),
        )
        await setBlocked(context, room_id, ids, true, flags)
      }),
    )
  manyFlags(block)
  examples(block, 'meetroom members block 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c')

  const unblock = members
    .command('unblock')
    .summary('Let blocked members in again')
    .description('Let blocked members of a private room in again.')
    .argument(...roomArgument)
    .argument('[member...]', `${words.id}s, or - to read them from standard input`)
    .action(
      act(async (context, room_id: string, given: string[], flags: ManyFlags) => {
        await setBlocked(context, room_id, await readMembers(context, room_id, given, flags), false, flags)
      }),
    )
  manyFlags(unblock)
  examples(unblock, 'meetroom members unblock 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c')

  const load = members
    .command('import')
    .summary('Invite users to rooms from a file')
    .description(
      'Invite users to rooms from a CSV, NDJSON or JSON file with a row each. The whole file is checked before anything is sent.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .option('--room <room>', 'the room of rows that name none')
    .option('--room-ids <file>', 'what rooms import -o ndjson printed: the ids that rooms have now')
    .action(act((context, file: string, flags: ImportFlags) => importFile(context, 'members', file, flags)))
  importFlags(load)
  examples(
    load,
    'meetroom members import class-7b.csv --room 66f1a2b3c4d5e6f708192a3b --if-exists skip',
    'meetroom members import members.csv --room-ids imported-rooms.ndjson',
  )

  exportCommand(members, act, 'members', 'meetroom members export --all-rooms > members.csv')
}

function readMembers(
  context: Context,
  room_id: string,
  given: readonly string[],
  flags: ManyFlags,
): Promise<string[]> {
  return readTargets(context, { given, flags, list: 'listMembers', params: { room_id } })
}

function setBlocked(
  context: Context,
  room_id: string,
  ids: string[],
  is_blocked: boolean,
  flags: ManyFlags,
): Promise<void> {
  return runEach(
    context,
    'updateMember',
    ids,
    (member_id) => ({ params: { room_id, member_id }, body: { is_blocked } }),
    is_blocked ? 'blocked' : 'unblocked',
    flags,
  )
}

/** Rule 2: blocking works only on private rooms. Better said before anything is sent than by a bare 500 after it. */
async function requirePrivateRoom(context: Context, id: string): Promise<void> {
  if (context.flags.curl) return
  const { value } = await (await context.client()).call('getRoom', {
    params: { id },
  })
  if (value.room.type !== 'private')
    throw new UsageError(`blocking works only in private rooms, and room ${id} is ${value.room.type}`, {
      hint: 'add --force to send it all the same',
    })
}

async function describeMembers(
  context: Context,
  room_id: string,
  ids: readonly string[],
  { ignoreNotFound = false },
): Promise<string> {
  const client = await context.client()
  const users = await Promise.all(
    ids.slice(0, 10).map(async (member_id) => {
      const asked = client.call('getMember', { params: { room_id, member_id } })
      const answer = await (ignoreNotFound ? orUndefined(asked) : asked)
      if (!answer) return member_id
      const { value } = answer
      return `“${plainText(value.member.user_id) || 'anonymous'}” (${member_id})`
    }),
  )
  const more = ids.length > users.length ? ` and ${ids.length - users.length} more` : ''
  return `Block ${ids.length === 1 ? 'member' : `${ids.length} members`} ${users.join(', ')}${more} in room ${room_id}${await placeOf(context, ids)}`
}

async function findMember(context: Context, room_id: string, user_id: string): Promise<string | undefined> {
  if (context.flags.curl) return undefined
  const pages = await listPages(context, 'listMembers', { params: { room_id }, query: {} }, { all: true })
  for await (const { items } of pages) {
    const member = items.find((item) => item['user_id'] === user_id)
    if (member) return String(member['id'])
  }
  return undefined
}
