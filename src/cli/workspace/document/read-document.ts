import { extname } from 'node:path'
import { findClosest } from '../../../api/closest.ts'
import { isRecord } from '../../../api/guards.ts'
import { describeIssue } from '../../../api/issue.ts'
import { findSegmentProblem } from '../../../api/path.ts'
import { suggest, UsageError } from '../../../errors.ts'
import { readInput } from '../../../files/input-file.ts'
import type { Host } from '../../../host.ts'
import { openSource } from '../../import/read/source.ts'
import type { Context } from '../../kernel/context.ts'
import type { Item } from '../../output/views/views.ts'
import { declarableFields } from '../schema/fields.ts'
import type { DesiredRoom, DesiredUser, Path, WorkspaceDocument } from './document.ts'
import { type ParsedText, parseText, valueAt } from './parse-text.ts'
import type { RosterFlags } from './roster.ts'
import { formatProfileLine } from './write-document.ts'

const maxBytes = 16 * 1024 * 1024

/**
 * Reads a workspace file or a roster, and prints the notices of a roster.
 * @throws {UsageError} for an invalid file
 */
export async function readDesired(
  context: Context,
  file: string,
  flags: RosterFlags,
): Promise<WorkspaceDocument> {
  const { host } = context
  if (['.csv', '.tsv'].includes(extname(file).toLowerCase())) {
    const { readRoster } = await import('./roster.ts')
    const roster = await readRoster(context, file, flags)
    for (const notice of roster.notices ?? []) await context.notice(notice)
    return roster
  }
  const { roomsFrom, usersFrom, roleFrom, roleMap, split, roomType, maxMeetingSeconds, encoding } = flags
  const forRosters = [roomsFrom, usersFrom, roleFrom, roleMap, split, roomType, maxMeetingSeconds, encoding]
  const isRoster = forRosters.some((flag) => flag !== undefined)
  // openSource throws for a workbook, with an error that explains the export to CSV.
  if (isRoster || /^\.(xlsx?|xlsm|ods)$/i.test(extname(file))) await (await openSource(file, host)).close()
  if (isRoster)
    throw new UsageError(
      `${file} is not a roster: --rooms-from, --users-from, --role-from, --role-map, --split, --room-type, --max-meeting-seconds and --encoding are for CSV files`,
    )
  return parseWorkspace(await readDocumentText(file, host), file)
}

/**
 * @param file name; a file `.json` may also contain YAML
 * @throws {UsageError} for an invalid workspace file
 */
export async function parseWorkspace(text: string, file: string): Promise<WorkspaceDocument> {
  // The shell may have written YAML to a file with this name.
  const isJson = extname(file).toLowerCase() === '.json' && /^\s*[[{]/.test(text)
  const parsed = await parseText(text, file, isJson)
  const fail: Fail = async (path, problem, { hint, atKey } = {}) => {
    const { line, column } = await parsed.positionOf(path, atKey)
    throw new UsageError(`${file}:${line}:${column}: ${problem}`, { hint })
  }
  await requireValid(parsed, file, fail)
  const value = parsed.value as RawDocument
  await requireUnique(value, fail)
  return {
    workspace: value.workspace,
    users: value.users?.map(toDesiredUser),
    rooms: value.rooms?.map(toDesiredRoom),
    async describePlace(path) {
      const { line, column } = await parsed.positionOf(path)
      return `${file}:${line}:${column}: ${formatPath(path)}`
    },
    formatProfileLine: (profile) => formatProfileLine(profile, isJson),
  }
}

interface RawUser extends Item {
  user_id: string
  protected?: boolean
}

interface RawRoom extends Item {
  key: string
  members?: readonly RawUser[]
  protected?: boolean
}

interface RawDocument {
  workspace: string | undefined
  users?: readonly RawUser[]
  rooms?: readonly RawRoom[]
}

async function readDocumentText(file: string, host: Host): Promise<string> {
  try {
    const hint = ['write the current workspace to a file with: ', suggest(['workspace', 'export'])]
    const bytes = await readInput(file, host, { maxBytes, hint })
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new UsageError(`${file} is not UTF-8 text`)
    throw error
  }
}

function toDesiredUser({ user_id, protected: isProtected, ...fields }: RawUser): DesiredUser {
  return { user_id, isProtected, fields }
}

function toDesiredRoom({ key, members, protected: isProtected, ...fields }: RawRoom): DesiredRoom {
  return { key, isProtected, fields, members: members?.map(toDesiredUser) }
}

async function requireValid(parsed: ParsedText, file: string, fail: Fail): Promise<void> {
  const { value } = parsed
  if (!isRecord(value))
    throw new UsageError(`${file}:1:1: a workspace file must contain users, rooms, or both`, {
      hint: ['see an example: ', suggest(['help', 'workspace'])],
    })
  const nullPath = findNull(value)
  if (nullPath)
    await fail(nullPath, `${formatPath(nullPath)} is null`, {
      hint: `omit “${nullPath.at(-1)}” if the field is out of scope; an empty list is [], an empty text is ''`,
      atKey: true,
    })
  const { documentSchema } = await import('../schema/schema.ts')
  const { error } = documentSchema.safeParse(value)
  const [issue] = error?.issues ?? []
  if (issue) {
    const path = issue.path as Path
    if (issue.code === 'unrecognized_keys') {
      const [unknown = ''] = issue.keys
      const known = fieldsAt(path)
      const closest = findClosest(unknown, known)
      const hint = closest === undefined ? `fields are ${known.join(', ')}` : `did you mean “${closest}”?`
      const at = [...path, unknown]
      await fail(at, `${formatPath(at)}: there is no such field`, { hint, atKey: true })
    }
    const given = valueAt(value, path)
    const isText = issue.code === 'invalid_type' && issue.expected === 'string'
    const isUnquoted = isText && (typeof given === 'number' || typeof given === 'boolean')
    const isScalar = ['string', 'number', 'boolean'].includes(typeof given)
    if (issue.code === 'invalid_type' && issue.expected === 'object' && isScalar && path.length > 1) {
      const isString = typeof given === 'string'
      const id = isString ? given : ((await parsed.sourceOf(path)) ?? String(given))
      const quoted = isString && /^[a-z][\w.@-]*$/i.test(id) ? id : JSON.stringify(id)
      await fail(
        path,
        `${formatPath(path)} must be an object such as { ${fieldsAt(path)[0]}: ${quoted} }, not “${id}”`,
      )
    }
    const source = isUnquoted ? ((await parsed.sourceOf(path)) ?? String(given)) : undefined
    if (source === undefined) await fail(path, describeIssue(issue, value))
    await fail(path, `${formatPath(path)} must be text, not ${source}`, {
      hint: `put it in quotes: "${source}"`,
    })
  }
  await requireUsableIds(value as unknown as RawDocument, fail)
}

type Fail = (path: Path, problem: string, options?: { hint?: string; atKey?: boolean }) => Promise<never>

/** Returns the path of the first null, such as a YAML key without a value. */
function findNull(value: unknown, path: Path = []): Path | undefined {
  if (value === null) return path
  if (typeof value !== 'object') return undefined
  for (const [key, held] of Object.entries(value as object)) {
    if (typeof held !== 'object') continue
    const found = findNull(held, [...path, Array.isArray(value) ? Number(key) : key])
    if (found) return found
  }
  return undefined
}

function fieldsAt(path: Path): string[] {
  if (path.length === 0) return ['workspace', 'users', 'rooms']
  if (path[0] === 'users') return ['user_id', ...declarableFields('user'), 'protected']
  return path.includes('members')
    ? ['user_id', ...declarableFields('member'), 'protected']
    : ['key', ...declarableFields('room'), 'protected', 'members']
}

async function requireUsableIds({ users = [], rooms = [] }: RawDocument, fail: Fail): Promise<void> {
  const check = async (path: Path, user_id: string) => {
    const problem = findSegmentProblem('user_id', user_id)
    if (problem !== undefined) await fail(path, `${formatPath(path)}: ${problem}`)
  }
  for (const [i, { user_id }] of users.entries()) await check(['users', i, 'user_id'], user_id)
  for (const [i, { members = [] }] of rooms.entries())
    for (const [j, { user_id }] of members.entries())
      await check(['rooms', i, 'members', j, 'user_id'], user_id)
}

async function requireUnique({ users = [], rooms = [] }: RawDocument, fail: Fail): Promise<void> {
  const check = async (field: string, entries: readonly Item[], path: Path) => {
    const first = new Map<unknown, number>()
    for (const [i, entry] of entries.entries()) {
      const before = first.get(entry[field])
      if (before === undefined) first.set(entry[field], i)
      else
        await fail(
          [...path, i, field],
          `${formatPath([...path, i, field])}: “${String(entry[field])}” is already in ${formatPath([...path, before])}`,
        )
    }
  }
  await check('user_id', users, ['users'])
  await check('key', rooms, ['rooms'])
  for (const [i, { members = [] }] of rooms.entries())
    await check('user_id', members, ['rooms', i, 'members'])
}

/** Formats a path such as `rooms[0].members[2].type`. */
function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  )
}
