import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { confirmTargets } from '../../batch/confirm-targets.ts'
import { defineBatchCommand } from '../../batch/define-batch-command.ts'
import { maxFlag } from '../../bulk/read/import-flags.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import {
  alias,
  bodyFlags,
  examples,
  type ListFlags,
  requireFields,
  userOption,
  withPaging,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { blockedBody, blockField, isBlocked, lacksBlock } from '../../lists/blocking.ts'
import { roomArgument, roomArgumentText } from '../../lists/room-arguments.ts'
import { runList } from '../../lists/run-list.ts'
import { runOne } from '../../lists/run-one.ts'
import { findMember, readMember } from '../../lists/user-members.ts'
import { exportCommand, importCommand } from '../shared/import-export.ts'
import { setBlockedInAllRooms } from './all-rooms.ts'

const { words } = member
const blocking = {
  verb: 'block',
  doing: 'blocking',
  get: ['getMember', (member_id: string, room_id: string) => ({ params: { room_id, member_id } })],
} as const
const [userTerm, userWords, addUser] = userOption
const typeFlag = () => new Option('--type <type>', words.type).choices(memberTypes)

interface UserFlag {
  user?: string[]
}

export function defineMembers(members: MeetroomCommand, act: DefineAction): void {
  defineList(members, act)
  defineGet(members, act)
  defineAdd(members, act)
  defineUpdate(members, act)
  defineMany(members, act)
  importCommand(
    members,
    act,
    'members',
    {
      summary: 'Invite users to rooms from a file',
      description:
        'Invite users to rooms from a CSV, NDJSON or JSON file with one row each. The whole file is checked before anything is sent.',
      examples: [
        'meetroom members import class-7b.csv --room 66f1a2b3c4d5e6f708192a3b --if-exists skip',
        'meetroom members import members.csv --room-ids imported-rooms.ndjson',
      ],
    },
    (command) =>
      maxFlag(command)
        .option('--room <room>', `room for rows that name none: ${roomArgumentText}`)
        .option('--room-ids <file>', 'output of rooms import -o ndjson: maps old room ids to new ones')
        .option('--unblock', 'with --if-exists overwrite or update, let members back in who are blocked'),
  )
  exportCommand(
    members,
    act,
    'members',
    'meetroom members export --all-rooms > members.csv',
    'meetroom members export --all-rooms --with last_seen > review.csv',
    "meetroom rooms list --where 'type=private' -o ids | meetroom members export - > members.csv",
  )
}

function defineList(members: MeetroomCommand, act: DefineAction): void {
  const list = members
    .command('list')
    .summary('List the members of a room')
    .description('List the members of a room.')
    .argument(...roomArgument)
    .action(
      act('reads', (context, room_id: string, flags: ListFlags) =>
        runList(context, 'listMembers', { params: { room_id }, query: {} }, flags),
      ),
    )
  withPaging(alias(list, 'ls'))
  examples(
    list,
    'meetroom members list 66f1a2b3c4d5e6f708192a3b --all',
    "meetroom members list 'name:Weekly sync' -o ids",
  )
}

function defineGet(members: MeetroomCommand, act: DefineAction): void {
  const get = members
    .command('get')
    .summary('Show a member of a room')
    .description('Show one member of a room.')
    .argument(...roomArgument)
    .argument('[member]', words.id)
    .option(...userOption)
    .action(
      act('reads', async (context, room_id: string, given: string | undefined, { user }: UserFlag) => {
        const member_id = await readMember(context, room_id, given, user)
        await runOne(context, 'getMember', { params: { room_id, member_id } })
      }),
    )
  alias(get, 'show')
  examples(
    get,
    'meetroom members get 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
    'meetroom members get 66f1a2b3c4d5e6f708192a3b --user ada',
  )
}

interface AddFlags extends BodyFlags {
  type?: MemberType
  ifNotExists?: boolean
}

function defineAdd(members: MeetroomCommand, act: DefineAction): void {
  const add = members
    .command('add')
    .summary('Invite a user to a room')
    .description('Invite a user to a room, in the given role, or else the user’s default role.')
    .argument(...roomArgument)
    .argument('<user>', words.user_id)
    .addOption(typeFlag())
    .option('--if-not-exists', 'if the user is already a member, leave the member as is and show it')
  bodyFlags(add).action(
    act('any', async (context, room_id: string, user_id: string, flags: AddFlags) => {
      const body = await buildBody(context, 'addMember', flags, {
        'the user': { user_id },
        '--type': { type: flags.type },
      })
      const existing = flags.ifNotExists && (await findMember(context, room_id, textOf(body.user_id)))
      if (existing) return runOne(context, 'getMember', { params: { room_id, member_id: existing } })
      await runOne(context, 'addMember', { params: { room_id }, body })
    }),
  )
  examples(add, 'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --type host')
}

interface UpdateFlags extends BodyFlags, UserFlag {
  name?: string
  type?: MemberType
  blocked?: boolean
  unblocked?: boolean
}

function defineUpdate(members: MeetroomCommand, act: DefineAction): void {
  const update = members
    .command('update')
    .summary('Change a member’s name, role or block')
    .description('Change the display name or the role of a member, or block or unblock the member.')
    .argument(...roomArgument)
    .argument('[member]', words.id)
    .option(...userOption)
    .option('--name <name>', words.name)
    .addOption(typeFlag())
    .addOption(new Option('--blocked', words[blockField]).conflicts('unblocked'))
    .addOption(new Option('--unblocked', 'let the user back in').conflicts('blocked'))
  bodyFlags(update).action(
    act('writes', async (context, room_id: string, given: string | undefined, flags: UpdateFlags) => {
      const blocked = flags.blocked ? true : flags.unblocked ? false : undefined
      const { name, type } = flags
      const body = await buildBody(context, 'updateMember', flags, {
        '--name': { name },
        '--type': { type },
        [flags.blocked ? '--blocked' : '--unblocked']: blockedBody(blocked),
      })
      requireFields(context, body, {})
      const member_id = await readMember(context, room_id, given, flags.user)
      if (isBlocked(body)) await confirmTargets(context, blocking, { ids: [member_id], room: room_id })
      await runOne(context, 'updateMember', { params: { room_id, member_id }, body })
    }),
  )
  examples(
    update,
    "meetroom members update 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c --name 'Dr. Ada'",
    'meetroom members update 66f1a2b3c4d5e6f708192a3b --user ada --type host',
  )
}

function defineMany(members: MeetroomCommand, act: DefineAction): void {
  const common = {
    within: ['[room]', roomArgumentText],
    ids: `${words.id}s, or - to read them from standard input`,
    list: 'listMembers',
    get: blocking.get,
    flags: (command: MeetroomCommand) =>
      command
        .option(userTerm, `${userWords}; repeatable`, addUser)
        .option(
          '--all-rooms',
          'the members of all rooms who are these users; each room is a row of the report',
        ),
  } as const
  const setBlocked = (blocked: boolean) =>
    [
      'updateMember',
      (member_id: string, room_id: string) => ({
        params: { room_id, member_id },
        body: blockedBody(blocked),
      }),
    ] as const
  defineBatchCommand(members, act, {
    ...common,
    ...blocking,
    past: 'blocked',
    summary: 'Kick members out of a private room and keep them out',
    description:
      'Kick members out of a private room at once, and keep them out. Works only on private rooms.',
    destructive: true,
    flags: (command) => common.flags(command).option('--force', 'send it even if the room is not private'),
    otherwise: (context, given, flags) => setBlockedInAllRooms(context, 'block', given, flags),
    check: (context, room, { force }) => (force ? Promise.resolve() : requirePrivateRoom(context, room)),
    call: setBlocked(true),
    examples: [
      'meetroom members block 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
      'meetroom members block 66f1a2b3c4d5e6f708192a3b --user ada --user grace',
      'meetroom members block --user mallory --all-rooms',
    ],
  })
  defineBatchCommand(members, act, {
    ...common,
    verb: 'unblock',
    doing: 'unblocking',
    past: 'unblocked',
    summary: 'Let blocked members back in',
    description: 'Let blocked members of a private room back in.',
    otherwise: (context, given, flags) => setBlockedInAllRooms(context, 'unblock', given, flags),
    call: setBlocked(false),
    examples: [
      'meetroom members unblock 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
      'meetroom members unblock --user mallory --all-rooms',
    ],
  })
}

/** Rule 2: blocking works only on private rooms. Better said before anything is sent than by a bare 500 after it. */
async function requirePrivateRoom(context: Context, id: string): Promise<void> {
  if (context.flags.curl) return
  const { value } = await (await context.client()).call('getRoom', { params: { id } })
  if (lacksBlock(value.room.type))
    throw new UsageError(`blocking works only in private rooms, and room ${id} is ${value.room.type}`, {
      hint: 'pass --force to send it anyway',
    })
}
