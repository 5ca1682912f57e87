import { idPattern } from '../../api/path.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { parseOrigin } from '../../config/settings.ts'
import { type Hint, NotFoundError, suggest } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { isDestructive } from '../kernel/effect.ts'
import { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { findMember } from '../lists/user-members.ts'
import { hasOtherCase, isNamed, isSimilar } from '../matching/match.ts'
import { type NamedKind, parseReference, toRoomName } from '../matching/reference.ts'
import { findLikelyItems, findRooms, UnknownNameError } from '../names/item-finder.ts'
import { quoteWord } from '../output/hint-text.ts'
import { type Item, views } from '../output/views/views.ts'
import { labelItem } from '../requests/describe-items.ts'
import {
  type CalledCommand,
  correct,
  type Explain,
  explainFileOfIds,
  explainIntended,
  type MissingResource,
  readSegment,
} from './intended.ts'
import { fitRoom, fitWords, readIntended } from './operands.ts'
import { explainShellWords } from './shell-words.ts'
import { removeWords, splitTyped } from './typed.ts'
import { withoutYes } from './usage-problem.ts'

/** Returns the error, if possible with a hint. May send requests, except with `--curl`. */
export async function explainMissing(
  error: NotFoundError,
  context: Context,
  called: CalledCommand,
): Promise<NotFoundError> {
  const path = error.request?.path
  const { message, status, request, body } = error
  const typed = explainShellWords(called.program, called.argv)
  if (typed) return new NotFoundError(message, { status, request, body, hint: typed })
  if (context.flags.curl) return error
  try {
    const client = await context.client()
    const url = called.given.find((word) => /^https?:\/\//i.test(word))
    const profile = url === undefined ? undefined : await findProfileOfUrl(context, url)
    const flags = [
      ...removeWords(splitTyped(called.program, called.argv).rest, called.given),
      ...(profile === undefined ? [] : ['--profile', profile]),
    ]
    const isRoomMissing = error.message.startsWith('no such room')
    const [, unknownUser] = /^no such user: ([\s\S]+)$/.exec(message) ?? []
    const missing = { ...called, context, client, path: path ?? '', flags, isRoomMissing, unknownUser }
    if (error instanceof UnknownNameError) {
      const hint =
        explainIntended(missing, `${error.field}:${error.text}`) ??
        (await explainSwappedRoom(missing).catch(() => undefined)) ??
        (await explainName(missing, error))
      return hint ? new NotFoundError(error.message, { hint }) : error
    }
    if (path === undefined) return error
    const isMissing = (word: string) => word === unknownUser || path.includes(encodeURIComponent(word))
    const unread = [...called.given, ...flags].find(
      (word) =>
        isMissing(word) &&
        (/^(\*|all)$|\*$|^[a-z_]+(!?~|!=|[<>])/i.test(word) || readIntended(word) || /\.\w+$/.test(word)),
    )
    const intended = unread === undefined ? undefined : explainIntended(missing, unread)
    if (intended) return new NotFoundError(message, { status, request, body, hint: intended })
    for (const explain of [
      explainFileOfIds,
      explainSplitName,
      explainUserAsMember,
      explainSwappedRoom,
      explainNameAsRoom,
      explainUserAsRoom,
      explainRoomAsUser,
      explainLikelyUser,
      explainOtherProfile,
    ]) {
      const hint = await explain(missing).catch(() => undefined)
      if (hint) return new NotFoundError(message, { status, request, body, hint })
    }
  } catch {}
  return error
}

/** Returns the profile of a pasted URL, unless its origin is that of the selected service. */
async function findProfileOfUrl(context: Context, url: string): Promise<string | undefined> {
  const origin = parseOrigin(url)
  if (origin === undefined || origin === parseOrigin((await context.settings()).baseUrl?.value ?? ''))
    return undefined
  const { profiles = {} } = await context.storedConfig()
  return Object.keys(profiles).find((name) => parseOrigin(profiles[name]?.base_url ?? '') === origin)
}

/** Explains a name of two words that were typed without quotes, as in `--as Ada Lovelace`. */
const explainSplitName: Explain = async ({ context, program, argv, unknownUser: first = '' }) => {
  const { rest } = splitTyped(program, argv)
  const at = rest.indexOf(first)
  const text = `${first} ${rest[at + 1]}`
  if (at < 0 || !/ [^-:]+$/.test(text)) return undefined
  const named = (await findLikelyItems(context, 'user', text)).filter((item) => isNamed(item, text))
  return named.length === 1
    ? [
        'quote a name with spaces: ',
        suggest([...context.command.split(' '), ...rest.toSpliced(at, 2, `name:${text}`)]),
      ]
    : undefined
}

/** Suggests a search in the services of all profiles for the ID of a room. */
const explainOtherProfile: Explain = async ({ context, client, path }) => {
  const id = readSegment(path, 'rooms') ?? ''
  const { profiles } = await context.settings()
  if (profiles.length < 2 || !idPattern.test(id) || (await isRoom(client, id))) return undefined
  const search = suggest(['rooms', 'get', id, '--all-profiles'])
  return ['list the rooms with: ', suggest(['rooms', 'list']), '; or search all profiles with: ', search]
}

const explainUserAsMember: Explain = async ({ context, client, names, given, path, flags }) => {
  const [room = '', user = ''] = given
  if (names[1] !== 'member' || given.length !== 2 || !path.includes('/members/')) return undefined
  if (/^(name|email):/.test(user))
    return [
      'select a member by their user: ',
      suggest([...context.command.split(' '), room, '--user', user, ...flags]),
    ]
  const id = readSegment(path, 'rooms') ?? room
  if ((await findMember(context, id, user)) !== undefined)
    return [
      `${user} is a user ID, not a member ID: `,
      suggest([...context.command.split(' '), room, '--user', user, ...flags]),
    ]
  return (await isRoom(client, id)) && (await isUser(client, user))
    ? ['this user is not in the room; add a member with: ', suggest(['members', 'add'], room, user)]
    : undefined
}

/** Explains a room that was typed second, as in `members add ada ROOM`. */
const explainSwappedRoom: Explain = async ({ context, client, names, given, flags }) => {
  const [user = '', room = ''] = given
  if (names[0] !== 'room' || names.length < 2 || given.length !== 2 || idPattern.test(user) || room === '-')
    return undefined
  if (!(await isRoomOrName(client, room)) || (await isRoomOrName(client, user))) return undefined
  const words = context.command.split(' ')
  return ['pass the room first: ', suggest(fitWords(words, [fitRoom(room), user, ...flags]))]
}

const explainNameAsRoom: Explain = async (missing) => {
  const name = readSegment(missing.path, 'rooms')
  if (name === undefined || (idPattern.test(name) && name === name.toLowerCase())) return undefined
  const ids = (await findRooms(missing.client, name)).map(({ id }) => id)
  if (ids.length === 0) return (await explainNameList(missing, name)) ?? explainLikely(missing, 'room', name)
  return ids.length === 1
    ? ['a room has this name: ', correct(missing, name, toRoomName(name)) ?? quoteWord(toRoomName(name))]
    : `pass the ID of a room with this name: ${ids.join(', ')}`
}

async function explainNameList(missing: MissingResource, text: string): Promise<Hint | undefined> {
  const { command } = splitTyped(missing.program, missing.argv)
  const names = text.split(',').map((name) => name.trim())
  if (names.length < 2 || names.length > maxLikely) return undefined
  for (const name of names) if ((await findRooms(missing.client, name)).length !== 1) return undefined
  const isMany = command.registeredArguments.at(-1)?.variadic === true
  const corrected = correct(missing, text, ...names.slice(0, isMany ? names.length : 1).map(toRoomName))
  return corrected && [isMany ? 'separate names with spaces: ' : 'pass one at a time: ', corrected]
}

const explainUserAsRoom: Explain = async ({ context, client, given, flags, path, isRoomMissing }) => {
  if (!isRoomMissing) return undefined
  const user = readSegment(path, 'rooms')
  if (user === undefined || idPattern.test(user) || !(await isUser(client, user))) return undefined
  const rooms = given.filter((word) => word !== user)
  if (context.command === 'members links' && rooms.length > 0)
    return [
      'select a user with: ',
      suggest(['members', 'links', ...rooms, '--where', `user_id=${user}`, ...flags]),
    ]
  if (context.command === 'rooms link' && rooms.length > 0 && !flags.includes('--as'))
    return ['pass a user with --as: ', suggest(['rooms', 'link', ...rooms, '--as', user, ...flags])]
  return [`${user} is a user ID; list the rooms of a user with: `, suggest(['users', 'rooms', user])]
}

const explainRoomAsUser: Explain = async ({ client, path }) => {
  const room = readSegment(path, 'users')
  if (room === undefined || !idPattern.test(room) || !(await isRoom(client, room))) return undefined
  return ['this is the ID of a room: ', suggest(['rooms', 'get', room])]
}

const explainLikelyUser: Explain = async (missing) => {
  const user = readSegment(missing.path, 'users') ?? missing.unknownUser
  return user === undefined ? undefined : explainLikely(missing, 'user', user)
}

/** Suggests commands for the items that a text probably names. */
async function explainLikely(
  missing: MissingResource,
  kind: NamedKind,
  text: string,
): Promise<Hint | undefined> {
  const items = await findLikelyItems(missing.context, kind, text)
  // An item with exactly this ID exists, so something else is missing.
  const likely = items.filter((item) => toText(item[views[kind].id ?? 'id']) !== text)
  const isMeant = (item: Item) => Object.values(item).some((value) => isSimilar(toText(value), text))
  return suggestLikely(missing, kind, likely, (item, isDestroying) =>
    isMeant(item) || !isDestroying ? text : undefined,
  )
}

async function explainName(missing: MissingResource, failed: UnknownNameError): Promise<Hint | undefined> {
  const { kind, field, text } = failed
  const likely = await findLikelyItems(missing.context, kind, text, failed)
  return suggestLikely(missing, kind, likely, () => `${field}:${text}`)
}

const maxLikely = 4

/**
 * Suggests destructive commands without `--yes`, because the item is a guess.
 * @param wrongWord returns the typed word that the ID replaces; undefined to suggest `get`
 */
function suggestLikely(
  { argv, context, flags, given, program }: MissingResource,
  kind: NamedKind,
  likely: readonly Item[],
  wrongWord: (item: Item, isDestroying: boolean) => string | undefined,
): Hint | undefined {
  const { command } = splitTyped(program, argv)
  const isDestroying =
    command instanceof MeetroomCommand &&
    isDestructive(command.effect ?? 'reads') &&
    !flags.includes('--dry-run')
  const unconfirmed = isDestroying ? withoutYes(flags) : flags
  const suggestions = likely.map((item) => {
    const id = toText(item[views[kind].id ?? 'id'])
    const wrong = wrongWord(item, isDestroying)
    const corrected = wrong && correct({ context, given, flags: unconfirmed }, wrong, id)
    return {
      hasOtherCase: corrected && wrong && hasOtherCase(id, wrong),
      label: labelItem(id, toText(item['name'])),
      suggestion: corrected || suggest([views[kind].noun[1], 'get'], id),
    }
  })
  const [first, ...others] = suggestions
  if (first === undefined || others.length >= maxLikely) return undefined
  if (others.length === 0)
    return [
      first.hasOtherCase ? 'IDs are case-sensitive: ' : `did you mean ${first.label}? `,
      first.suggestion,
    ]
  return [
    `several ${views[kind].noun[1]} match equally well: `,
    ...suggestions.flatMap(({ label, suggestion }, i) => [`${i === 0 ? '' : ', '}${label}: `, suggestion]),
  ]
}

async function isRoomOrName(client: Client, text: string): Promise<boolean> {
  if (idPattern.test(text)) return isRoom(client, text)
  const reference = parseReference('room', text)
  if ('id' in reference && (await isRoom(client, reference.id))) return true
  return (await findRooms(client, 'id' in reference ? reference.id : reference.text)).length === 1
}

async function isRoom(client: Client, id: string): Promise<boolean> {
  return exists(client.call('getRoom', { params: { id } }))
}

async function isUser(client: Client, user_id: string): Promise<boolean> {
  return exists(client.call('getUser', { params: { user_id } }))
}

/** @throws any error except “not found” */
async function exists(request: Promise<unknown>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}
