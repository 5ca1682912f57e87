import { Option } from 'commander'
import { formatChoices } from '../../../api/either.ts'
import type { RequestBody } from '../../../api/operations.ts'
import { room } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { type RoomType, roomTypes } from '../../../api/vocabulary.ts'
import { formatDuration } from '../../../duration.ts'
import { ConflictError, suggest, UsageError } from '../../../errors.ts'
import { headerValue, readHeaders } from '../../input/headers.ts'
import { collect, createSecondsParser, createWebUrlParser, readSecret } from '../../input/input.ts'
import { type BodyFlags, buildBody, type GivenFields } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import { addBodyFlags, requireFields } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { describeNamesakes, findRoomsByName } from '../../names/item-finder.ts'
import { own } from '../../output/terminal/visible.ts'
import type { Item } from '../../output/views/views.ts'
import { lookUpFirst } from '../../records/look-up.ts'
import { hasValues } from '../../records/shown-values.ts'
import { runOne, showOne } from '../shared/run-one.ts'
import { parseMember } from './parse-member.ts'

const { descriptions } = room

interface CreateFlags extends BodyFlags {
  name?: string
  type?: RoomType
  record?: boolean
  maxMeetingSeconds?: number
  member?: string[]
  webhookUrl?: string
  webhookHeader?: string[]
  webhookSecret?: string
  ifNotExists?: boolean
}

export function defineRoomCreate(rooms: MeetroomCommand): void {
  const create = rooms
    .command('create')
    .summary('Create a room')
    .description('Create a room, and add members. On a terminal, prompts for a missing name and type.')
    .option('--name <name>', descriptions.name)
    .addOption(new Option('--type <type>', descriptions.type).choices(roomTypes))
    .option('--record', descriptions.record)
    .option(
      '--max-meeting-seconds <duration>',
      'maximum time with two or more guests or hosts connected, as in 2700 (seconds) or 45m; the service then terminates the room',
      createSecondsParser('--max-meeting-seconds'),
    )
    .option('--member <user[:role[:name]]>', `${descriptions.members}; repeatable`, collect)
    .option(
      '--webhook-url <url>',
      'URL that receives an event when a participant joins or leaves',
      createWebUrlParser('--webhook-url'),
    )
    .option(
      '--webhook-header <header>',
      `header to send with each delivery, ${headerValue[0]}`,
      headerValue[1],
    )
    .option(
      '--webhook-secret <secret|@file>',
      'secret that signs the webhooks; @FILE reads a file, @- standard input',
    )
    .option('--if-not-exists', 'if a room with this name exists, keep and show the room')
  addBodyFlags(create).act('any', async (context, flags: CreateFlags) => {
    const given = await buildBody(context, 'createRoom', flags, await settingsFrom(flags, context))
    requireWebhookUrl(flags, given)
    const body = await askForMissing(context, flags, given)
    requireFields(context, body, { name: '--name', type: `--type (${formatChoices(roomTypes)})` })
    if (flags.ifNotExists && (await showExisting(context, body))) return
    if (body.webhook?.secret !== undefined) await warnAboutSecret(context)
    await runOne(context, 'createRoom', { body })
  })
  create.addExamples(
    "meetroom rooms create --name 'Weekly sync' --type private --member ada:host --member grace",
    'meetroom rooms create --name Demo --type open --max-meeting-seconds 45m --set layout=grid',
  )
}

async function settingsFrom(flags: CreateFlags, context: Context): Promise<GivenFields<'createRoom'>> {
  const { name, type, record, maxMeetingSeconds: max_meeting_seconds, webhookUrl: url, webhookSecret } = flags
  const secret =
    webhookSecret === undefined
      ? undefined
      : await readSecret('--webhook-secret', webhookSecret, context.host)
  const headers =
    flags.webhookHeader &&
    Object.fromEntries(await readHeaders(context, '--webhook-header', flags.webhookHeader))
  return {
    '--name': { name },
    '--type': { type },
    '--record': { record },
    '--max-meeting-seconds': { max_meeting_seconds },
    '--member': { members: flags.member?.map(parseMember) },
    '--webhook-url': { webhook: { url } },
    '--webhook-header': { webhook: { headers } },
    '--webhook-secret': { webhook: { secret } },
  }
}

/**
 * Checks the body, because `--set` and `--data` can also set the URL.
 * @throws {UsageError} for a webhook flag without the URL
 */
function requireWebhookUrl({ webhookHeader, webhookSecret }: CreateFlags, { webhook }: Body): void {
  const flag = webhookHeader ? '--webhook-header' : webhookSecret ? '--webhook-secret' : undefined
  if (flag && webhook?.url === undefined) throw new UsageError(`${flag} needs --webhook-url`)
}

/** Skips the embedded service, because only that service is known to sign webhooks. */
async function warnAboutSecret(context: Context): Promise<void> {
  const { dryRun, curl, quiet } = context.flags
  if (dryRun || curl || quiet || (await context.settings()).local) return
  const { findEmbeddedService } = await import('../../requests/embedded-service.ts')
  if (await findEmbeddedService(context)) return
  await context.notice([
    'warning: not every service signs webhooks; check a webhook with: ',
    suggest(['webhooks', 'listen', '--secret', '@secret.txt']),
  ])
}

type Body = RequestBody<'createRoom'>

/** Checks the settings before the first prompt. */
async function askForMissing(context: Context, { ifNotExists }: CreateFlags, body: Body): Promise<Body> {
  if (body.name !== undefined && body.type !== undefined) return body
  const { isInteractive } = await import('../../requests/confirm.ts')
  if (!isInteractive(context.host)) return body
  if (!ifNotExists) await context.requireAllowedFlags('writes')
  await context.client()
  if (body.max_meeting_seconds !== undefined)
    await context.notice(
      `meeting time: at most ${formatDuration(body.max_meeting_seconds * 1000)}; the clock runs only while two or more guests or hosts are connected`,
    )
  const { askLine } = await import('../../requests/ask.ts')
  const name = body.name ?? (await askLine(context, own`Name of the room:`, readName))
  if (body.type !== undefined) return { ...body, name }
  const [meaning, ...types] = descriptions.type.split(/: |, /)
  for (const line of [`${meaning}:`, ...types.map((type) => `  ${type}`)]) await context.notice(line)
  return { ...body, name, type: await askLine(context, own`Type of the room:`, readType) }
}

function readName(line: string): string {
  const name = line.trim()
  if (name === '') throw new UsageError('the name of the room is empty')
  return name
}

function readType(line: string): RoomType {
  const type = roomTypes.find((known) => known === line.trim().toLowerCase())
  if (type) return type
  throw new UsageError(`type must be ${formatChoices(roomTypes)}, not “${line.trim()}”`)
}

/**
 * Shows the room with the name in the body. Resolves to false without such a room, or with `--curl`.
 * @throws {UsageError} if several rooms have the name
 * @throws {ConflictError} if the room has another type
 */
async function showExisting(context: Context, body: Readonly<Record<string, unknown>>): Promise<boolean> {
  const name = toText(body['name'])
  const [room, ...others] = context.flags.curl
    ? []
    : await lookUpFirst(findRoomsByName(await context.client(), name))
  if (!room) return false
  const id = String(room['id'])
  if (others.length > 0)
    throw new UsageError(describeNamesakes([room, ...others], name), {
      hint: 'rename or delete all but one of these rooms',
    })
  const response = await (await context.client()).call('getRoom', { params: { id } })
  const existing: Item = response.value.room
  if (!hasValues(existing, { type: body['type'] }))
    throw new ConflictError(
      `room “${name}” exists (${id}), but its type is ${existing['type']}, not ${body['type']}`,
    )
  const different = Object.keys(body).filter((field) => !hasValues(existing, { [field]: body[field] }))
  if (different.length > 0)
    await context.notice(
      `warning: room “${name}” exists and differs in ${different.join(', ')}; the room is unchanged`,
    )
  await showOne(context, 'getRoom', response)
  return true
}
