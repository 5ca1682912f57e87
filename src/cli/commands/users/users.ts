import { Option } from 'commander'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { user } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { suggest, UsageError } from '../../../errors.ts'
import { saveFlags } from '../../backup/flags.ts'
import { defineBatchCommand } from '../../batch/define-batch-command.ts'
import { maxFlag } from '../../bulk/read/import-flags.ts'
import { webUrl } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody, type GivenFields, urlFor } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import { alias, bodyFlags, examples, type ListFlags, requireFields, withPaging } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { runOne, undefinedIfNotFound } from '../../lists/run-one.ts'
import { exportCommand, importCommand } from '../shared/import-export.ts'
import { defineUserAccess } from './offboard.ts'

const { words } = user

interface UserFlags extends BodyFlags {
  name?: string
  email?: string
  profileUrl?: string
  defaultMemberType?: MemberType
}

function userFlags(command: MeetroomCommand): MeetroomCommand {
  return bodyFlags(
    command
      .option('--name <name>', words.name)
      .option('--email <address>', words.email)
      .option('--profile-url <url>', words.profile_url, webUrl('--profile-url'))
      .addOption(new Option('--default-member-type <type>', words.default_member_type).choices(memberTypes)),
  )
}

function settingsFrom(flags: UserFlags): GivenFields<'updateUser'> {
  return {
    '--name': { name: flags.name },
    '--email': { email: flags.email },
    '--profile-url': { profile_url: flags.profileUrl },
    '--default-member-type': { default_member_type: flags.defaultMemberType },
  }
}

export function defineUsers(users: MeetroomCommand, act: DefineAction): void {
  defineList(users, act)
  defineGet(users, act)
  defineCreate(users, act)
  defineUpdate(users, act)
  defineBatchCommand(users, act, {
    verb: 'delete',
    doing: 'deleting',
    past: 'deleted',
    alias: 'rm',
    summary: 'Delete users',
    description: 'Delete users from the workspace.',
    destructive: true,
    ids: `${words.user_id}, or - to read ids from standard input`,
    deletes: 'users',
    flags: saveFlags,
    list: 'listUsers',
    get: ['getUser', (user_id) => ({ params: { user_id } })],
    call: ['deleteUser', (user_id) => ({ params: { user_id } })],
    examples: ['meetroom users delete ada grace --yes', 'meetroom users delete ada --save ada.ndjson'],
  })
  defineUserAccess(users, act)
  importCommand(
    users,
    act,
    'users',
    {
      summary: 'Create users from a file',
      description:
        'Create users from a CSV, NDJSON or JSON file with one row each. The whole file is checked before anything is sent.',
      examples: [
        "meetroom users import people.csv --map 'Full name=name' --dry-run",
        'meetroom users import people.csv --failed-out rejects.csv',
        'meetroom users import people.csv --resume',
      ],
    },
    maxFlag,
  )
  exportCommand(
    users,
    act,
    'users',
    "meetroom users export --where 'default_member_type=host' -o ndjson > hosts.ndjson",
  )
}

function defineList(users: MeetroomCommand, act: DefineAction): void {
  const list = users
    .command('list')
    .summary('List the users of the workspace')
    .description('List the users of the workspace.')
    .option('--email <query>', words.email_search_query)
    .action(
      act('reads', (context, flags: ListFlags & { email?: string }) =>
        runList(context, 'listUsers', { query: { email_search_query: flags.email } }, flags),
      ),
    )
  withPaging(alias(list, 'ls'))
  examples(list, 'meetroom users list --email @example.com', 'meetroom users list --all -o ids')
}

function defineGet(users: MeetroomCommand, act: DefineAction): void {
  const get = users
    .command('get')
    .summary('Show a user')
    .description('Show one user. The access token is shown with --show-tokens, and with -o json in a pipe.')
    .argument('<user>', words.user_id)
    .action(act('reads', (context, user_id: string) => runOne(context, 'getUser', { params: { user_id } })))
  alias(get, 'show')
  examples(get, 'meetroom users get ada')
}

interface CreateFlags extends UserFlags {
  overwrite?: boolean
  ifNotExists?: boolean
}

function defineCreate(users: MeetroomCommand, act: DefineAction): void {
  const create = users
    .command('create')
    .summary('Create a user')
    .description(
      'Create a user. A user id that is already in use is refused, because the service would override that user. The access token is shown with --show-tokens, and with -o json in a pipe.',
    )
    .argument('<user-id>', words.user_id)
    .addOption(
      new Option('--overwrite', 'overwrite the user who already has this id').conflicts('ifNotExists'),
    )
    .option('--if-not-exists', 'if a user with this id exists, leave them as is and show them')
  userFlags(create).action(
    act('any', async (context, user_id: string, flags: CreateFlags) => {
      const given = { 'the user id': { user_id }, ...settingsFrom(flags) }
      const body = withEncodedUrl(await buildBody(context, 'createUser', flags, given), flags)
      const id = textOf(body.user_id)
      if (flags.ifNotExists && (await exists(context, id)))
        return runOne(context, 'getUser', { params: { user_id: id } })
      if (!flags.overwrite) await requireFree(context, id)
      await runOne(context, 'createUser', { body })
    }),
  )
  examples(
    create,
    "meetroom users create ada --name 'Ada Lovelace' --default-member-type host",
    'meetroom users create ada --name Ada --overwrite',
  )
}

function defineUpdate(users: MeetroomCommand, act: DefineAction): void {
  const update = users
    .command('update')
    .summary('Change a user')
    .description('Change a user; everything else stays as it is.')
    .argument('<user>', words.user_id)
  userFlags(update).action(
    act('writes', async (context, user_id: string, flags: UserFlags) => {
      const given = await buildBody(context, 'updateUser', flags, settingsFrom(flags))
      const body = withEncodedUrl(given, flags)
      requireFields(context, body, {})
      await runOne(context, 'updateUser', { params: { user_id }, body })
    }),
  )
  examples(update, 'meetroom users update ada --profile-url https://example.com/ada.png')
}

/** The API wants URLs encoded (section 1), wherever they come from. */
function withEncodedUrl<B extends BodyOf<Operations['updateUser']>>(body: B, flags: BodyFlags): B {
  const { profile_url } = body
  return typeof profile_url === 'string'
    ? { ...body, profile_url: urlFor('profile_url', flags)(profile_url) }
    : body
}

async function exists(context: Context, user_id: string): Promise<boolean> {
  if (context.flags.curl) return false
  return (
    (await undefinedIfNotFound((await context.client()).call('getUser', { params: { user_id } }))) !==
    undefined
  )
}

/** Rule 3: the service overrides a user whose id is given again, without a word. */
async function requireFree(context: Context, user_id: string): Promise<void> {
  if (!(await exists(context, user_id))) return
  throw new UsageError(`user “${user_id}” already exists, and creating it again would overwrite it`, {
    hint: ['pass --overwrite to do that, or update the user with: ', suggest(['users', 'update'], user_id)],
  })
}
