import { Option } from 'commander'
import { user } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { suggest, suggestExample, suggestHelp, UsageError } from '../../../errors.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { describeUnlikelyId } from '../../input/unlikely-id.ts'
import { buildBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { lookUpFirst } from '../../records/look-up.ts'
import { findRecord } from '../../records/records.ts'
import { runOne } from '../shared/run-one.ts'
import { addUserFlags, settingsFrom, type UserFlags, withEncodedUrl } from './user-fields.ts'

const { descriptions } = user

interface CreateFlags extends UserFlags {
  overwrite?: boolean
  ifNotExists?: boolean
}

export function defineUserCreate(users: MeetroomCommand): void {
  const create = users
    .command('create')
    .summary('Create a user')
    .description(
      'Create a user. Refuses an existing user ID, because the service would overwrite that user. Shows the access token with --show-tokens, and with -o json in a pipe.',
    )
    .addArgument(new IdArgument('<user-id>', descriptions.user_id, 'user'))
    .addOption(new Option('--overwrite', 'overwrite the existing user with this ID').conflicts('ifNotExists'))
    .option('--if-not-exists', 'if a user with this ID exists, keep and show the user')
  addUserFlags(create).act('any', async (context, user_id: string, flags: CreateFlags) => {
    const given = { 'the user ID': { user_id }, ...settingsFrom(flags) }
    const body = withEncodedUrl(await buildBody(context, 'createUser', flags, given), flags)
    const id = toText(body.user_id)
    if (flags.ifNotExists && (await exists(context, id)))
      return runOne(context, 'getUser', { params: { user_id: id } })
    const unlikely = body.name === undefined ? describeUnlikelyId('user_id', id) : undefined
    if (unlikely !== undefined)
      throw new UsageError(unlikely, {
        hint: [
          'with --name, any ID is accepted; pass an ID, and the name with --name: ',
          suggestExample(['users', 'create', 'USER-ID', '--name', id, ...toFlags(body)]),
        ],
      })
    if (!flags.overwrite) await requireFree(context, id, body)
    await runOne(context, 'createUser', { body })
  })
  create.addExamples(
    "meetroom users create ada --name 'Ada Lovelace' --default-member-type host",
    'meetroom users create ada --name Ada --overwrite',
  )
}

async function exists(context: Context, user_id: string): Promise<boolean> {
  if (context.flags.curl) return false
  const client = await context.client()
  const lookup = findRecord(client, { kind: 'user', id: user_id })
  const hint = 'to create or overwrite the user without a lookup, pass --overwrite'
  return (await lookUpFirst(lookup, hint)) !== undefined
}

/**
 * Requires an unused ID, because the service overwrites existing users (API specification, “Endpoints”, rule
 * 3).
 */
async function requireFree(context: Context, user_id: string, body: object): Promise<void> {
  if (!(await exists(context, user_id))) return
  const changes = toFlags(body)
  throw new UsageError(`user “${user_id}” already exists, and this command would overwrite the user`, {
    hint:
      changes.length > 0
        ? ['to change only these fields: ', suggest(['users', 'update', user_id, ...changes])]
        : [
            'pass --overwrite to overwrite the user; to change some fields, see: ',
            suggestHelp('users', 'update'),
          ],
  })
}

/** Returns the flags that set the fields of a body, without the ID and unlisted fields. */
function toFlags(body: object): string[] {
  return Object.entries(body).flatMap(([field, value]) =>
    Object.hasOwn(user.fields, field) && field !== 'user_id' && typeof value === 'string'
      ? [`--${field.replaceAll('_', '-')}`, value]
      : [],
  )
}
