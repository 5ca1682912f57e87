import { idPattern } from '../../api/path.ts'
import { toText } from '../../api/to-text.ts'
import { exampleTemplate, linkColumns, roomLinkFields, userLinkFields } from '../../config/link-template.ts'
import { suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { openSelection } from '../lists/open-selection.ts'
import { defaultPageSize } from '../lists/paging/page-size.ts'
import { type RoomFlags, readRooms, requireRooms } from '../lists/select-rooms.ts'
import { rowKinds } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import { previewEach } from '../requests/before-send.ts'
import { findEmbeddedService, reachableOrigin } from '../requests/embedded-service.ts'
import { findPersistentBaseUrl } from '../requests/find-service.ts'
import {
  findRoomProblem,
  noLink,
  type RoomLinks,
  readLinkFields,
  toLinkRow,
  toLinkValues,
} from './link-rows.ts'
import { LinkTemplate } from './link-template.ts'
import { type LinkOptions, MemberLinks } from './member-links.ts'
import { printLinks } from './print-links.ts'
import { toTextOrNull, toUserAccess, type UserAccess } from './user-access.ts'

interface LinkFlags extends PaceFlags, RoomFlags {
  replay?: boolean
}

export async function openLinks(
  context: Context,
  { replay = false }: Pick<LinkFlags, 'replay'>,
): Promise<LinkOptions> {
  const { columns = [] } = (await context.printer()).options
  return {
    template: await findTemplate(context, replay ? 'replay' : 'join'),
    isReplay: replay,
    columns: columns.filter((name) => linkColumns.includes(name)),
  }
}

/**
 * Prints the links of members. `--where` selects members, not rooms.
 * @throws {MeetroomError} if no rooms are selected, or not all links can be built
 */
export async function runMemberLinks(
  context: Context,
  given: readonly string[],
  { where, allRooms = false, ...flags }: LinkFlags,
): Promise<void> {
  requireRooms(given, allRooms)
  ;(await context.printer()).check(rowKinds.links)
  const options = await openLinks(context, flags)
  const selection = await openSelection(context, 'listMembers', { where, ...flags })
  const selected = await readRooms(context, given, { allRooms })
  if (context.flags.curl) {
    const query = { limit: defaultPageSize }
    // Further requests depend on responses.
    return previewEach(context, selected.rooms, (client, { id }) =>
      client.call('listMembers', { params: { room_id: toText(id) }, query }),
    )
  }
  await requireRoomsOf(context, given)
  await printLinks(context, {
    ...selected,
    flags,
    selection,
    options,
    createReader: (client) => {
      const links = new MemberLinks(context, client, options, selection)
      return (room) => links.ofMembers(room)
    },
  })
}

export async function runRoomLinks(
  context: Context,
  given: readonly string[],
  { as, ...flags }: LinkFlags & { as?: string },
): Promise<void> {
  ;(await context.printer()).check(rowKinds.links)
  const options = await openLinks(context, flags)
  const selected = await readRooms(context, given, flags)
  if (context.flags.curl) return previewRooms(context, selected.rooms)
  const user = as === undefined ? undefined : await readUserAccess(context, as)
  await requireRoomsOf(context, given)
  const { format, columns, query } = (await context.printer()).options
  await printLinks(context, {
    ...selected,
    flags,
    options,
    isBare: given.length === 1 && given[0] !== '-' && format === 'table' && !columns && !query,
    createReader: (client) => {
      if (as === undefined || !user) return async (room) => createRoomLink(room, options)
      const links = new MemberLinks(context, client, options)
      return (room) => links.ofUser(room, as, user)
    },
  })
}

/** @throws {NotFoundError} for a mistaken argument, before the first link is printed */
async function requireRoomsOf(context: Context, given: readonly string[]): Promise<void> {
  if (given.length < 2) return
  const client = await context.client()
  for (const id of given)
    if (id !== '-' && !idPattern.test(id)) await client.call('getRoom', { params: { id } })
}

/** @throws {NotFoundError} if the user does not exist */
export async function readUserAccess(context: Context, user_id: string): Promise<UserAccess> {
  return toUserAccess(await readRecord(await context.client(), { kind: 'user', id: user_id }), userLinkFields)
}

/** Creates a link for anyone, which works only for open rooms (API specification, “Room”). */
export function createRoomLink(room: Item, { template, isReplay, columns }: LinkOptions): RoomLinks {
  const type = toText(room['type'])
  const problem =
    findRoomProblem(room, isReplay) ??
    (type.toLowerCase() === 'open' ? undefined : `the room is ${type || 'not open'}; pass --as`)
  const ofRoom = template.fields.filter((name) => roomLinkFields.has(name))
  const values = {
    ...toLinkValues(readLinkFields(ofRoom, room)),
    ...{ room_id: toText(room['id']), room_name: toTextOrNull(room['name']) },
  }
  const filled = problem === undefined ? template.fillForAnyone(values) : noLink(problem)
  const needsUser = filled.reason === 'no access token' || filled.reason === 'no user ID'
  const link = needsUser ? noLink('the template needs a user; pass --as') : filled
  const nobody = { user_id: null, name: null, role: null }
  const row = toLinkRow(room, nobody, link, readLinkFields(columns, room))
  return { rows: [row], holdsUserTokens: false }
}

export const previewRooms = (context: Context, rooms: readonly Item[]) =>
  previewEach(context, rooms, (client, { id }) => readRecord(client, { kind: 'room', id: toText(id) }))

/**
 * Returns the template from the settings or, for joining, of the room page of an embedded service.
 * @throws {UsageError} if there is no template
 */
async function findTemplate(context: Context, kind: 'join' | 'replay'): Promise<LinkTemplate> {
  const settings = await context.settings()
  const template = kind === 'join' ? settings.joinUrl : settings.replayUrl
  if (template) return new LinkTemplate(template.value)
  const origin = kind === 'join' ? await findRoomPages(context) : undefined
  // The token is in the fragment, because browsers do not send fragments.
  if (origin !== undefined) return new LinkTemplate(`${origin}/rooms/{room_id}#access_token={access_token}`)
  const key = `${kind}_url`
  // A stored template may not apply to a base URL from a flag or the environment.
  const isStored = settings.local || settings.baseUrl?.from.startsWith('profile ')
  throw new UsageError(`no template for links: ${key} is not set`, {
    hint: isStored
      ? ['set it with: ', suggest(['config', 'set', key, exampleTemplate])]
      : `set it with: export MEETROOM_${key.toUpperCase()}='${exampleTemplate}'`,
  })
}

/**
 * Returns the origin of the room pages of an embedded service on this machine, if any.
 * @throws {UsageError} if the local workspace is not served
 */
async function findRoomPages(context: Context): Promise<string | undefined> {
  const { local } = await context.settings()
  return local
    ? reachableOrigin(await findPersistentBaseUrl(context, 'room pages'))
    : findEmbeddedService(context)
}
