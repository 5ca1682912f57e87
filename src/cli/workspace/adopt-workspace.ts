import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import { PartialError, suggest } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { groupByName } from '../matching/match.ts'
import { createPage } from '../output/views/page.ts'
import { type RowOf, rowKinds } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from '../records/blocking.ts'
import type { DesiredRoom, WorkspaceDocument } from './document/document.ts'
import { readDesired } from './document/read-document.ts'
import type { RosterFlags } from './document/roster.ts'
import type { LockedItem, LockedRoom, Section } from './lock/lock.ts'
import { LockFile, lockFileOf, readLockFile } from './lock/lock-file.ts'
import { selectSection } from './lock/section.ts'
import { requireOwnLock } from './other-lock.ts'
import { findAdoptable } from './plan/same-name.ts'
import { formatRosterFlags } from './plan-flags.ts'
import { identifyWorkspace, type RoomList, WorkspaceReader } from './read/read-state.ts'

interface AdoptFlags extends RosterFlags {
  /** True to also record members that the file does not list. */
  members?: boolean
}

/**
 * Records existing rooms, matched by exact name, and existing users and members in the lock file.
 * @throws {UsageError} if another lock file records the rooms
 * @throws {PartialError} if a list cannot be read completely, or rooms cannot be adopted
 */
export async function adoptWorkspace(context: Context, file: string, flags: AdoptFlags): Promise<void> {
  context.refuseCurl('the contents of the service')
  const printer = await context.printer()
  printer.check(rowKinds.adopted)
  const document = await readDesired(context, file, flags)
  // A preview reads the lock file without acquiring it.
  const name = lockFileOf(file, flags.lock)
  const lock = context.flags.dryRun ? undefined : await LockFile.open(name, context.host)
  try {
    const sections = lock?.sections ?? readLockFile(name, context.host)
    const reader = new WorkspaceReader(context, {})
    const rooms = await reader.readRooms(true)
    const identity = await identifyWorkspace(context, rooms)
    const section = selectSection(sections, identity, {
      name,
      document,
      host: context.host,
      isRoom: (id) => rooms.items.has(id),
      prunesUsers: false,
    })
    if (reader.problem) throw reader.problem
    section.application_id ??= identity.applicationId
    section.workspace ??= document.workspace
    const byName = groupByName(rooms.items)
    const items = (document.rooms ?? []).map(({ fields }) => ({
      candidates: byName.get(toText(fields['name'])),
    }))
    requireOwnLock(context, file, flags, { identity, section, plan: { items } })
    const rows = adoptRooms(document, section, byName)
    const unlisted = await adoptPeople(reader, document, section, rooms)
    if (reader.problem) throw reader.problem
    if (flags.members)
      for (const { record, user_id } of unlisted) adopt(record.members, user_id, {}, undefined)
    if (lock) {
      if (!lock.sections.includes(section)) lock.sections.push(section)
      await lock.save()
      context.changes.add(['lock file', 'lock files'], 'written')
    } else await context.notice('dry run: the lock file does not change')
    await printer.list(rowKinds.adopted, 'rooms', createPage({ items: rows }))
    await reportUnlisted(context, file, flags, unlisted.length)
    const refused = rows.filter(({ status }) => status === 'ambiguous' || status === 'taken')
    // `apply` creates missing rooms.
    if (refused.length > 0)
      throw new PartialError(`${refused.length} of ${rows.length} rooms could not be adopted`, {
        hint: 'rename the rooms, or change the names in the file, so that each name matches exactly one room',
      })
  } finally {
    await lock?.close()
  }
}

function adoptRooms(
  { rooms = [] }: WorkspaceDocument,
  section: Section,
  byName: ReadonlyMap<string, readonly string[]>,
): RowOf<'adopted'>[] {
  const owners = new Map([...section.rooms].map(([key, { id }]) => [id, key]))
  const declared = new Set(rooms.map(({ key }) => key))
  const missing = rooms.filter(({ key }) => !section.rooms.has(key))
  return missing.map((room) =>
    adoptRoom(room, byName.get(toText(room.fields['name'])) ?? [], owners, declared, section),
  )
}

function adoptRoom(
  { key, fields, isProtected }: DesiredRoom,
  ids: readonly string[],
  owners: Map<string, string>,
  declared: ReadonlySet<string>,
  section: Section,
): RowOf<'adopted'> {
  const row = { key, name: toText(fields['name']), room_id: ids[0] ?? null }
  if (ids.length === 0)
    return { ...row, status: 'missing', reason: 'no room has this name; “workspace apply” creates the room' }
  const { candidates, refusal } = findAdoptable(ids, (id) => {
    const owner = owners.get(id)
    return owner !== undefined && declared.has(owner) ? owner : undefined
  })
  const [id] = candidates
  if (id === undefined) return { ...row, status: 'taken', reason: refusal ?? null }
  if (refusal !== undefined) return { ...row, room_id: null, status: 'ambiguous', reason: refusal }
  const owner = owners.get(id)
  // The record of a renamed key moves to the new key.
  const before = owner === undefined ? undefined : section.rooms.get(owner)
  if (owner !== undefined) section.rooms.delete(owner)
  owners.set(id, key)
  section.intents.delete(key)
  const record = before ?? { id, isProtected: false, members: new Map(), blocks: new Set() }
  section.rooms.set(key, { ...record, values: fields, isProtected: isProtected ?? record.isProtected })
  const reason = owner === undefined ? null : `belonged to the key “${owner}”`
  return { ...row, room_id: id, status: 'adopted', reason }
}

/**
 * Records existing users and members of the file. Returns other members that are neither recorded nor
 * blocked.
 */
async function adoptPeople(
  reader: WorkspaceReader,
  document: WorkspaceDocument,
  section: Section,
  rooms: RoomList,
): Promise<{ record: LockedRoom; user_id: string }[]> {
  const unlisted = []
  const { users = [] } = document
  const list = await reader.readUsers(document)
  for (const { user_id, fields, isProtected } of users)
    if (list?.items.has(user_id)) adopt(section.users, user_id, fields, isProtected)
  const { members } = await reader.readDeclared(document, rooms, (key) => section.rooms.get(key)?.id)
  for (const { key, members: declared } of document.rooms ?? []) {
    const room = section.rooms.get(key)
    if (!room || !declared) continue
    const found = members.get(room.id)?.items ?? []
    const present = new Set(found.map((member) => toText(member['user_id'])))
    for (const { user_id, fields, isProtected } of declared)
      if (present.has(user_id)) adopt(room.members, user_id, fields, isProtected)
    const isBlockedEverywhere = (user_id: string) =>
      found.every((member) => toText(member['user_id']) !== user_id || isBlocked(member) === true)
    for (const { user_id } of declared) present.delete(user_id)
    for (const user_id of present)
      if (user_id !== '' && !room.members.has(user_id) && !isBlockedEverywhere(user_id))
        unlisted.push({ record: room, user_id })
  }
  return unlisted
}

async function reportUnlisted(
  context: Context,
  file: string,
  flags: AdoptFlags,
  count: number,
): Promise<void> {
  if (count === 0) return
  const members = counted(count, 'member')
  if (flags.members) return context.notice(`adopted ${members} that the file does not list`)
  await context.notice([
    `the file does not list ${members} of these rooms, so --prune never blocks them; adopt them with: `,
    suggest(['workspace', 'adopt', ...formatRosterFlags(flags), '--members'], file),
  ])
}

function adopt(
  records: Map<string, LockedItem>,
  key: string,
  values: Item,
  isProtected: boolean | undefined,
): void {
  records.set(key, { values, isProtected: isProtected ?? records.get(key)?.isProtected ?? false })
}
