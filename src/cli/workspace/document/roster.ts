import { omitUndefined } from '../../../api/defined.ts'
import { findSegmentProblem } from '../../../api/path.ts'
import { counted, listNames, plural } from '../../../api/plural.ts'
import type { MemberType, RoomType } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { createInvalidRowsError, RowProblems } from '../../import/invalid-rows.ts'
import type { Encoding } from '../../import/read/encoding.ts'
import { createJoin, joinRows, listParts } from '../../import/read/joined-columns.ts'
import { Lookalikes } from '../../import/read/lookalikes.ts'
import { RoleReader, type RoleWords } from '../../import/read/role-map.ts'
import { type Row, readRows, readSample } from '../../import/read/rows.ts'
import { openSource } from '../../import/read/source.ts'
import { splitCell } from '../../import/read/split-rows.ts'
import { MissingColumnsError, RosterColumnsError } from '../../import/read/unknown-columns.ts'
import { findDamage } from '../../input/unlikely-id.ts'
import type { Context } from '../../kernel/context.ts'
import type { Item } from '../../output/views/views.ts'
import type { DesiredRoom, DesiredUser, WorkspaceDocument } from './document.ts'

export interface RosterFlags {
  roomsFrom?: string
  usersFrom?: readonly string[]
  roleFrom?: string
  roleMap?: RoleWords
  /** Separator of several classes in one cell; undefined to keep cells whole. */
  split?: string
  roomType?: RoomType
  maxMeetingSeconds?: number
  encoding?: Encoding
  /** Lock file; undefined for the lock file beside the workspace file. */
  lock?: string
}

interface Roster {
  users: Map<string, { user: DesiredUser; line: number }>
  rooms: Map<
    string,
    { room: DesiredRoom; line: number; members: Map<string, { member: DesiredUser; line: number }> }
  >
  roles: RoleReader
}

/**
 * Reads users and their classes. A class becomes the key and the name of a room.
 * @throws {UsageError} for missing flags, columns or rows, and for invalid rows
 */
export async function readRoster(
  context: Context,
  file: string,
  flags: RosterFlags,
): Promise<WorkspaceDocument> {
  const { roomsFrom, usersFrom = [], roleFrom, roleMap, split, encoding } = flags
  const { roomType: type = 'private', maxMeetingSeconds: max_meeting_seconds } = flags
  const source = await openSource(file, context.host, encoding)
  if (roomsFrom === undefined || usersFrom.length === 0) {
    const { columns, rows } = await readSample(source, 'csv').finally(() => source.close())
    const message = `${file} is a roster: name the columns of the class and of the user`
    throw new RosterColumnsError(message, columns, rows)
  }
  const columns = { room: roomsFrom, users: usersFrom, role: roleFrom }
  const roster: Roster = { users: new Map(), rooms: new Map(), roles: new RoleReader(roleMap) }
  const creationDefaults = omitUndefined({ type, max_meeting_seconds })
  const problems = new RowProblems(context)
  let [all, invalid, empty] = [0, 0, 0]
  let unread: readonly string[] = []
  try {
    const onHeader = (found: readonly string[]) => {
      unread = requireKnownColumns(file, found, columns)
    }
    const onEmpty = () => void empty++
    const join = createJoin(listColumns(columns), (column) => column)
    const read = readRows(source.read(), 'csv', file, 'rows', onHeader, undefined, onEmpty)
    for await (const rows of join ? joinRows(read, join) : read)
      for (const row of rows) {
        all++
        const problem = addRow(roster, row, columns, creationDefaults, split)
        if (problem === undefined) continue
        invalid++
        await problems.add(`${file}:${row.line}`, problem)
      }
  } finally {
    await source.close()
  }
  await problems.end()
  if (all === 0)
    throw new UsageError(`${file} has no rows, and a roster without users is refused`, {
      hint: 'check that the roster is complete',
    })
  const unknownRoles = roster.roles.unknownError(file)
  if (unknownRoles && invalid === 0) throw unknownRoles
  if (unknownRoles) await context.reportError(unknownRoles)
  if (invalid > 0)
    throw createInvalidRowsError(invalid, all, {
      hint: 'fix the rows: a roster is applied only as a whole',
    })
  const unused = roster.roles.describeUnused()
  return {
    notices: [
      ...(empty > 0 ? [`skipped ${counted(empty, 'empty row')}`] : []),
      ...(unread.length > 0 ? [`ignored ${plural(unread.length, 'column')} ${listNames(unread, 10)}`] : []),
      ...(unused === undefined ? [] : [unused]),
      ...listWarnings(file, roster),
    ],
    workspace: undefined,
    users: [...roster.users.values()].map(({ user }) => user),
    rooms: [...roster.rooms.values()].map(({ room, members }) => ({
      ...room,
      members: [...members.values()].map(({ member }) => member),
    })),
    describePlace: async (path) => `${file}: ${path.join('.')}`,
  }
}

interface Columns {
  room: string
  /** Columns of the user ID, the name and the email, in this order. */
  users: readonly string[]
  role: string | undefined
}

function listColumns({ room, users, role }: Columns): readonly string[] {
  return [room, ...users, ...(role === undefined ? [] : [role])]
}

/**
 * Returns the ignored columns of the file.
 * @throws {UsageError} for missing columns
 */
function requireKnownColumns(file: string, found: readonly string[], columns: Columns): readonly string[] {
  const absent = listColumns(columns).filter((column) => !found.includes(column))
  const missing = [...new Set(absent.flatMap(listParts))].filter((column) => !found.includes(column))
  if (missing.length > 0) throw new MissingColumnsError(`${file} has no`, missing, found)
  const read = new Set(listColumns(columns).flatMap((column) => [column, ...listParts(column)]))
  return found.filter((column) => column !== '' && !read.has(column))
}

function* listWarnings(file: string, { rooms, users }: Roster): Generator<string> {
  const lookalikes = new Lookalikes((column) => column, 'rooms')
  const cells = [
    ...[...rooms].map(([name, { line }]) => ({ fields: { name }, number: line, line })),
    ...[...users].map(([user_id, { line }]) => ({ fields: { user_id }, number: line, line })),
  ]
  for (const cell of cells)
    for (const text of lookalikes.findIn(cell)) yield `warning: ${file}:${cell.line}: ${text}`
  yield* lookalikes.listRest()
  const named = [...users.values()].find(({ user }) => /^\S+@\S+\.\S+$/.test(String(user.fields['name'])))
  if (named)
    yield `warning: ${file}:${named.line}: the name of “${named.user.user_id}” is an email; --users-from names the columns of ID, name and email, such as email,name,email`
}

function addRow(
  roster: Roster,
  row: Row,
  columns: Columns,
  creationDefaults: Item,
  split: string | undefined,
): string | undefined {
  if (!row.fields) return row.problem
  const { fields, line = 0 } = row
  const cell = (column: string | undefined) =>
    column === undefined ? '' : String(fields[column] ?? '').trim()
  const [idColumn, nameColumn, emailColumn] = columns.users
  const user_id = cell(idColumn)
  const problem = findSegmentProblem('user_id', user_id) ?? findDamage('user_id', user_id)
  if (problem !== undefined) return `${idColumn}: ${problem}`
  const declared = { name: cell(nameColumn), email: cell(emailColumn) }
  const conflict = addUser(roster, { user_id, fields: withoutEmpty(declared), isProtected: undefined }, line)
  const text = cell(columns.room)
  if (conflict !== undefined || text === '') return conflict
  const role = readRole(roster.roles, cell(columns.role), line)
  const member = { user_id, fields: withoutEmpty({ type: role }), isProtected: undefined }
  for (const key of split === undefined ? [text] : splitCell(text, split)) {
    const room = roster.rooms.get(key) ?? createRoom(key, creationDefaults, line)
    roster.rooms.set(key, room)
    const before = room.members.get(user_id)
    if (before && before.member.fields['type'] !== member.fields['type'])
      return `the role of ${user_id} in ${key} differs from line ${before.line}`
    room.members.set(user_id, before ?? { member, line })
  }
  return undefined
}

function addUser({ users }: Roster, user: DesiredUser, line: number): string | undefined {
  const before = users.get(user.user_id)
  const fields = { ...before?.user.fields, ...user.fields }
  for (const [field, value] of Object.entries(before?.user.fields ?? {}))
    if (fields[field] !== value) return `the ${field} of ${user.user_id} differs from line ${before?.line}`
  users.set(user.user_id, { user: { ...user, fields }, line: before?.line ?? line })
  return undefined
}

function createRoom(key: string, creationDefaults: Item, line: number) {
  const room = { key, fields: { name: key }, members: [], isProtected: undefined, creationDefaults }
  return { room, line, members: new Map<string, { member: DesiredUser; line: number }>() }
}

/** Returns the role; empty without a known word. `readRoster` reports unknown words after all rows. */
function readRole(roles: RoleReader, word: string, line: number): MemberType | '' {
  if (word === '') return ''
  const role = roles.roleOf(word)
  if (!role) roles.noteUnknown(word, `line ${line}`)
  return role ?? ''
}

function withoutEmpty(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
