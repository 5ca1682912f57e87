import { lstatSync } from 'node:fs'
import { extname } from 'node:path'
import { counted, plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import { replaceFile } from '../../files/draft.ts'
import { toWriteError } from '../../files/file-errors.ts'
import { createExistsError, resolveOutput } from '../../files/file-kind.ts'
import { readMembersOfRooms } from '../import/export-members.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { openSelection } from '../lists/open-selection.ts'
import { readList } from '../lists/read-list.ts'
import type { Redact } from '../output/redaction/redaction.ts'
import { visibleJson } from '../output/terminal/visible.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from '../records/blocking.ts'
import type { Kind } from '../records/records.ts'
import type { DesiredRoom, DesiredUser } from './document/document.ts'
import { formatYaml, toPlainDocument } from './document/write-document.ts'
import { createSection, type LockedItem, type Section } from './lock/lock.ts'
import { LockFile, lockFileOf } from './lock/lock-file.ts'
import { selectSection } from './lock/section.ts'
import { readDeclared } from './plan/compare.ts'
import { identifyWorkspace } from './read/read-state.ts'
import { declarableFields } from './schema/fields.ts'

interface WorkspaceExportFlags {
  out?: string
  rooms?: readonly string[]
  users?: readonly string[]
}

interface ExportedWorkspace {
  users: DesiredUser[]
  rooms: DesiredRoom[]
  ids: ReadonlyMap<string, string>
  section: Section
}

/**
 * Exports users, rooms and members in a stable order.
 * @throws {UsageError} for example for an unsupported format, or an existing file
 */
export async function exportWorkspace(context: Context, flags: WorkspaceExportFlags): Promise<void> {
  const out = context.flags.dryRun ? undefined : flags.out
  context.refuseCurl('the contents of the service')
  const printer = await context.printer()
  const { output } = await context.settings()
  if (output.from === '--output' && output.value !== 'json')
    throw new UsageError(
      `-o ${output.value} cannot be used with “workspace export”, which writes YAML, or JSON with -o json`,
    )
  const lock = out === undefined ? undefined : await openNewFile(context, out)
  try {
    const exported = await readWorkspace(context, flags, lock?.sections ?? [], out ?? '')
    const isJson = out === undefined ? printer.printsJson : extname(out).toLowerCase() === '.json'
    const document = toPlainDocument(exported)
    if (out === undefined && isJson) await printer.json(document)
    const text = isJson ? `${JSON.stringify(document, null, 2)}\n` : formatYaml(exported)
    if (out === undefined && !isJson) await printer.data(context.redactKeys(text), visibleJson)
    if (out !== undefined && lock) await store(context, out, lock, exported, context.redactKeys(text))
    await reportExport(context, exported, out)
  } finally {
    await lock?.close()
  }
}

async function openNewFile({ host }: Context, out: string): Promise<LockFile> {
  const path = resolveOutput(out, host, 'workspace.yaml')
  const lock = await LockFile.open(lockFileOf(out), host)
  if (!lstatSync(path, { throwIfNoEntry: false })) return lock
  await lock.close()
  throw createExistsError(path, ', and an export does not overwrite files')
}

export async function readWorkspace(
  context: Context,
  flags: WorkspaceExportFlags,
  sections: readonly Section[],
  out: string,
): Promise<ExportedWorkspace> {
  const users = await readItems(context, 'listUsers', flags.users)
  const rooms = await readItems(context, 'listRooms', flags.rooms)
  const items = new Map(rooms.map((room) => [toText(room['id']), room]))
  const members = await readMembers(context, [...items.keys()])
  const applicationId = toText(rooms[0]?.['application_id']) || undefined
  const identity = await identifyWorkspace(context, { items, applicationId })
  const known = selectSection(sections, identity, {
    name: lockFileOf(out),
    document: { workspace: undefined },
    host: context.host,
    isRoom: () => true,
    prunesUsers: false,
  })
  const keys = createKeys(rooms, known, context.redact)
  const names = new Map(users.map((user) => [toText(user['user_id']), user['name']]))
  const desired = rooms.map((room): DesiredRoom => {
    const id = toText(room['id'])
    return {
      key: keys.get(id) ?? id,
      fields: pickFields('room', room),
      members: (members.get(id) ?? []).map((member) => withoutUserName(member, names)).sort(byId),
      isProtected: undefined,
    }
  })
  return {
    users: users.map((user) => toDesired('user', user)).sort(byId),
    rooms: desired.sort((a, b) => compare(a.key, b.key)),
    ids: new Map([...keys].map(([id, key]) => [key, id])),
    section: known,
  }
}

async function readItems(
  context: Context,
  name: 'listUsers' | 'listRooms',
  where: readonly string[] | undefined,
): Promise<Item[]> {
  const selection = await openSelection(context, name, { where })
  const full = selection?.full ?? new FullRecords(context, name)
  const items: Item[] = []
  for await (const page of readList(context, name, {}, { all: true, selection, full }))
    items.push(...page.items)
  return items
}

async function readMembers(context: Context, ids: readonly string[]): Promise<Map<string, DesiredUser[]>> {
  const members = new Map<string, DesiredUser[]>()
  const full = new FullRecords(context, 'listMembers')
  const options = { selection: undefined, full, withLastSeen: false }
  for await (const { items } of readMembersOfRooms(context, ids, { all: true }, options))
    for (const member of items) {
      const room_id = toText(member['room_id'])
      const room = members.get(room_id) ?? []
      members.set(room_id, room)
      const desired = toDesired('member', member)
      const isNew = desired.user_id !== '' && room.every(({ user_id }) => user_id !== desired.user_id)
      if (isBlocked(member) !== true && isNew) room.push(desired)
    }
  return members
}

function toDesired(kind: 'user' | 'member', item: Item): DesiredUser {
  return { user_id: toText(item['user_id']), fields: pickFields(kind, item), isProtected: undefined }
}

/** Omits a display name that equals the user's name, which is the default. */
function withoutUserName(member: DesiredUser, names: ReadonlyMap<string, unknown>): DesiredUser {
  const { name, ...fields } = member.fields
  return name === names.get(member.user_id) ? { ...member, fields } : member
}

function pickFields(kind: Kind, item: Item): Item {
  return Object.fromEntries(
    declarableFields(kind).flatMap((field) => {
      const found = readDeclared(kind, field, item)
      if (!found.known || toText(found.value) === '') return []
      // Rooms are active by default.
      return field === 'is_terminated' && found.value === false ? [] : [[field, found.value]]
    }),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byId = (a: DesiredUser, b: DesiredUser) => compare(a.user_id, b.user_id)

async function store(
  { host }: Context,
  out: string,
  lock: LockFile,
  { users, rooms, ids, section }: ExportedWorkspace,
  text: string,
): Promise<void> {
  const claimed = createSection(section.base_url, section.application_id, section.workspace)
  const claim = (values: Item, before: LockedItem | undefined) => ({
    values,
    isProtected: before?.isProtected ?? false,
  })
  for (const { user_id, fields } of users)
    claimed.users.set(user_id, claim(fields, section.users.get(user_id)))
  for (const { key, fields, members: declared = [] } of rooms) {
    const before = section.rooms.get(key)
    const members = new Map<string, LockedItem>()
    for (const { user_id, fields } of declared)
      members.set(user_id, claim(fields, before?.members.get(user_id)))
    const id = ids.get(key) ?? ''
    claimed.rooms.set(key, { id, ...claim(fields, before), members, blocks: new Set(before?.blocks) })
  }
  const at = lock.sections.indexOf(section)
  if (at < 0) lock.sections.push(claimed)
  else lock.sections[at] = claimed
  await lock.save()
  try {
    replaceFile(resolveOutput(out, host, 'workspace.yaml'), text, { overwrite: false })
  } catch (error) {
    throw toWriteError(out, error)
  }
}

async function reportExport(
  context: Context,
  { users, rooms }: ExportedWorkspace,
  out: string | undefined,
): Promise<void> {
  const members = rooms.reduce((sum, room) => sum + (room.members?.length ?? 0), 0)
  const files = out === undefined ? '' : ` to ${out}, and their IDs to ${lockFileOf(out)}`
  await context.notice(
    `exported ${counted(users.length, 'user')}, ${counted(rooms.length, 'room')} and ${counted(members, 'member')}${files}`,
  )
  const named = rooms.filter(({ fields }) => Object.hasOwn(fields, 'name'))
  const unnamed = rooms.length - named.length
  if (unnamed > 0)
    await context.notice(`${counted(unnamed, 'room')} ${plural(unnamed, 'has', 'have')} no name in the file`)
  const repeated = named.length - new Set(named.map(({ fields }) => toText(fields['name']))).size
  if (repeated > 0)
    await context.notice(
      `warning: ${counted(repeated, 'room')} ${plural(repeated, 'has', 'have')} the name of another room; “workspace apply” to another service refuses the file`,
    )
}

/**
 * Returns keys by room ID. Rooms in the lock file keep their keys.
 * @param redact removes an API key from a room name
 */
export function createKeys(rooms: readonly Item[], section: Section, redact: Redact): Map<string, string> {
  const keys = new Map([...section.rooms].map(([key, { id }]) => [id, key]))
  const findFreeKey = createKeyFinder(new Set(section.rooms.keys()))
  const found = new Map<string, string>()
  const named = rooms.map((room) => ({ id: toText(room['id']), name: toText(room['name']) }))
  // The sort makes the keys independent of the order of the list.
  for (const { id, name } of named.sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id))) {
    const words = redact(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    const slug = words.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'room'
    found.set(id, keys.get(id) ?? findFreeKey(slug))
  }
  return found
}

/** Starts each search after the slug's last number, because equal names would take quadratic time. */
function createKeyFinder(used: Set<string>): (slug: string) => string {
  const lastNumbers = new Map<string, number>()
  return (slug) => {
    for (let n = (lastNumbers.get(slug) ?? 0) + 1; ; n++) {
      const key = n === 1 ? slug : `${slug}-${n}`
      if (used.has(key)) continue
      lastNumbers.set(slug, n)
      used.add(key)
      return key
    }
  }
}
