import { resolve } from 'node:path'
import { findClosest } from '../../api/closest.ts'
import { idPattern } from '../../api/path.ts'
import { quoteNames } from '../../api/plural.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import { toText } from '../../api/to-text.ts'
import { type Hint, type Suggestion, suggest } from '../../errors.ts'
import { readStart } from '../../files/read-file.ts'
import { createMembers } from '../import/adapters/members.ts'
import { createRooms } from '../import/adapters/rooms.ts'
import { createUsers } from '../import/adapters/users.ts'
import { buildGroupCommand } from '../import/import-command.ts'
import { suggestRoleMap } from '../import/read/role-map.ts'
import {
  type ColumnsError,
  describeMapping,
  type MissingColumnsError,
  type RosterColumnsError,
} from '../import/read/unknown-columns.ts'
import { describeUnlikelyId, looksLikeName } from '../input/unlikely-id.ts'
import { toWordKey } from '../matching/match.ts'
import { columnWords, type FieldByKind, givenNames, lastNames, lookUp } from '../matching/meanings.ts'
import type { Item } from '../output/views/views.ts'
import { splitOperands } from './operands.ts'

interface TypedImport {
  /** Words of the command, such as `['users', 'import']`. */
  words: readonly string[]
  /** Other words, as `splitTyped` returns them. */
  rest: readonly string[]
  file?: string | undefined
}

export function explainColumns({ found, rows }: ColumnsError, typed: TypedImport): Hint | undefined {
  const { kind, all, columns, ignored, free, missing, flags: defaultFlags } = found
  const { words, rest, file } = typed
  const other = columns.length > 0 ? findOtherImport(found) : undefined
  if (other && file !== undefined && rest.length > 0)
    return [`the file has the columns of ${other}: `, suggest([other, 'import'], file)]
  const left = new Set(free)
  const others: string[] = []
  const maps = new Map<string, string>()
  const named = joinNames(columns)
  if (named && left.delete('name')) maps.set(joinTemplate(named), 'name')
  for (const column of columns) {
    if (maps.size > 0 && named?.includes(column)) continue
    const field = lookUp(columnWords, fold(column))?.[kind] ?? findClosest(column, [...left])
    if (field !== undefined && left.delete(field)) maps.set(column, field)
    else others.push(column)
  }
  for (const column of ignored) {
    const field = lookUp(columnWords, fold(column))?.[kind] ?? ''
    if (missing.includes(field) && left.delete(field)) maps.set(column, field)
  }
  if (/^<(!doctype|html)/i.test(all[0] ?? ''))
    return 'the file is a web page, perhaps a login page; export it again'
  if (maps.size === 0 && hasNoHeader(found)) return describeHeader
  if (maps.size === 0)
    return columns.length === all.length
      ? `if the first line is data, insert a line above it that names the columns; else ${describeMapping(columns)}`
      : undefined
  const id = missing.includes('user_id') && left.has('user_id') ? findIdColumn(kind, others, rows) : undefined
  if (id !== undefined && left.delete('user_id'))
    maps.set(others.splice(others.indexOf(id), 1)[0] ?? '', 'user_id')
  const columnOf = (...fields: readonly string[]) =>
    all.find((column) => fields.map(fold).includes(fold(maps.get(column) ?? column)))
  const role = columnOf('default_member_type', 'member_type', ...(kind === 'member' ? ['type'] : []))
  const roleMap = role === undefined ? [] : suggestRoleMap(valuesOf(rows, role))
  const flags = [
    ...[...maps].flatMap(([column, field]) => ['--map', `${column}=${field}`]),
    ...(rest.includes('--role-map') ? [] : roleMap),
  ]
  const absent = missing.filter((field) => left.has(field))
  const ignore =
    others.length > 3 ? ['--ignore-unknown'] : others.flatMap((column) => ['--map', `${column}=`])
  const mapped =
    absent.length === 0 && rest.length > 0 ? suggest([...words, ...rest, ...flags, ...ignore]) : undefined
  const names = quoteNames(others).join(', ')
  const byName = suggestByName(found, maps, roleMap, file)
  const rooms = valuesOf(rows, columnOf('room_id') ?? '')
  if (byName && (maps.has('room_name') || !mapped || rooms.some(looksLikeName)))
    return ['members import needs the IDs of rooms; for names: ', byName]
  if (mapped && byName && !rooms.every((room) => idPattern.test(room)))
    return ['if the rooms are IDs: ', mapped, '; if the rooms are names: ', byName]
  if (mapped) return [names === '' ? 'did you mean: ' : `did you mean, without ${names}: `, mapped]
  const lacking = absent.map((field) => ` There is no column ${field}${describeFlag(defaultFlags[field])}.`)
  const more = others.length > 0 ? ` For the others, ${describeMapping(others)}.` : ''
  return `did you mean ${flags.map(quoteForShell).join(' ')}?${more}${lacking.join('')}`
}

const valuesOf = (rows: readonly Item[], column: string) =>
  rows.map((row) => toText(row[column]).trim()).filter((value) => value !== '')

/** Returns the first column whose values can be user IDs. Only users have one row per user ID. */
function findIdColumn(kind: string, columns: readonly string[], rows: readonly Item[]): string | undefined {
  return columns.find((column) => {
    const values = valuesOf(rows, column)
    const isComplete = rows.length > 0 && values.length === rows.length
    const isDistinct = kind === 'user' ? new Set(values).size === values.length : columns.length === 1
    return isComplete && isDistinct && !values.some((value) => describeUnlikelyId('', value))
  })
}

const describeFlag = (flag: string | undefined) => (flag === undefined ? '' : `; pass ${flag}`)

const describeHeader =
  'the first line looks like data; begin the file with a line that names the columns after these fields'

/**
 * Returns true if no column is known, and a column looks like data. A single unknown column always counts as
 * data.
 */
function hasNoHeader({ all, columns }: ColumnsError['found']): boolean {
  const isData = (cell: string) => /\S@\S+\.\S|:\/\/|^[a-z]?[\d.:/-]+$/i.test(cell) || idPattern.test(cell)
  return columns.length === all.length && (all.length === 1 || all.some(isData))
}

const createAdapters = () => [createUsers({ ifExists: 'fail' }), createRooms({}), createMembers()]

/** Suggests the import that fits the header of a CSV file, for a command such as `import people.csv`. */
export function explainImport(rest: readonly string[], cwd: string): Hint | undefined {
  const [[file = '', ...others]] = splitOperands(rest)
  const text =
    others.length === 0 && /\.[ct]sv$/i.test(file) ? readStart(resolve(cwd, file), maxHeader) : undefined
  const [header = ''] = text?.replace(/^\ufeff?(sep=.\r?\n)?/i, '').split(/[\r\n]/) ?? []
  const all = header.split(/[,;\t|]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  const fits = createAdapters().map(({ name, view, columns, readOnly, required }) => {
    const known = new Map([...Object.keys(columns), ...readOnly].map((field) => [fold(field), field]))
    const fieldOf = (column: string) =>
      known.get(fold(column)) ?? known.get(fold(lookUp(columnWords, fold(column))?.[view.noun[0]] ?? '-'))
    const found = new Set(all.flatMap((column) => fieldOf(column) ?? []))
    return { name, score: found.size + (required.every((field) => found.has(field)) ? all.length : 0) }
  })
  const [best, second] = fits.toSorted((one, other) => other.score - one.score)
  return best && second && best.score > second.score
    ? ['did you mean: ', suggest([best.name, 'import', ...rest])]
    : undefined
}

/** Maximum size of a header, in bytes. */
const maxHeader = 16 * 1024

/** Returns the name of another import that accepts the columns; undefined if there is none. */
function findOtherImport({ kind, all }: ColumnsError['found']): string | undefined {
  const adapters = createAdapters()
  const fits = ({ view, columns, readOnly, required }: (typeof adapters)[number]) => {
    const known = new Set([...Object.keys(columns), ...readOnly].map(fold))
    const present = new Set(all.map(fold))
    return (
      view.noun[0] !== kind &&
      all.every((column) => known.has(fold(column))) &&
      required.every((field) => present.has(fold(field)))
    )
  }
  return adapters.find(fits)?.name
}

/** Suggests a preview of `rooms import --group-by name`, because `members import` reads only IDs of rooms. */
function suggestByName(
  { kind, all }: ColumnsError['found'],
  maps: ReadonlyMap<string, string>,
  roleMap: readonly string[],
  file = '-',
): Suggestion | undefined {
  const knownFields = ['user_id', 'type', 'name']
  const fieldOf = (column: string) =>
    maps.get(column) ??
    knownFields.find((field) => fold(field) === fold(column)) ??
    lookUp(columnWords, fold(column))?.['member']
  const fields = new Map(all.map((column) => [column, fieldOf(column) ?? '']))
  const found = [...fields.values()]
  if (kind !== 'member' || file === '-' || !found.includes('room_id') || !found.includes('user_id'))
    return undefined
  return buildGroupCommand(file, [], fields, [...roleMap, '--dry-run'])
}

/** Suggests the columns that flags probably mean, in one command. Swaps the sides of `--map FIELD=COLUMN`. */
export function explainMissingColumns(
  { missing, columns, fields }: MissingColumnsError,
  { words, rest }: TypedImport,
): Hint | undefined {
  const turned = missing.some((column) => fields.includes(column)) ? turnMaps(rest, columns) : undefined
  if (turned) return ['--map must be COLUMN=FIELD: ', suggest([...words, ...turned])]
  const meant = new Map(
    missing.flatMap((column) => {
      const found = findMeantColumn(column, columns)
      return found === undefined ? [] : [[column, found] as const]
    }),
  )
  if (meant.size === 0) return undefined
  if (meant.size === missing.length && rest.length > 0)
    return ['did you mean: ', suggest([...words, ...replaceColumns(rest, meant)])]
  const names = [...meant].map(([column, found]) => `“${found}” for “${column}”`)
  return `did you mean ${names.join(', ')}? columns are ${columns.join(', ')}`
}

function findMeantColumn(column: string, columns: readonly string[]): string | undefined {
  const meaning = lookUp(columnWords, fold(column))
  const isMeant = (fields: FieldByKind | undefined) =>
    fields !== undefined && (fields === meaning || fields['user'] === column.toLowerCase())
  const named =
    column.toLowerCase() === 'name' || meaning?.['user'] === 'name' ? joinNames(columns) : undefined
  return (
    findClosest(column, columns) ??
    columns.find((each) => isMeant(lookUp(columnWords, fold(each)))) ??
    (named && joinTemplate(named))
  )
}

const columnFlag = /^(--(?:map|rooms-from|users-from|role-from))(?:=([\s\S]*))?$/

/** Replaces names of columns in the values of flags, also in templates such as `{First} {Last}`. */
function replaceColumns(rest: readonly string[], meant: ReadonlyMap<string, string>): string[] {
  return rest.map((word, i) => {
    const [, flag, joined] = columnFlag.exec(word) ?? []
    const [, flagBefore, joinedBefore] = columnFlag.exec(rest[i - 1] ?? '') ?? []
    const isValue = flagBefore !== undefined && joinedBefore === undefined
    const value = isValue ? word : joined
    if (value === undefined) return word
    const end = (isValue ? flagBefore : flag) === '--map' ? value.lastIndexOf('=') : value.length
    const replaced = value.slice(0, end).replace(/\{[^{}]*\}|[^,{}]+/g, (part) => {
      const found = meant.get(part.replace(/^\{|\}$/g, '').trim())
      if (found === undefined) return part
      return part.startsWith('{') && !found.startsWith('{') ? `{${found}}` : found
    })
    return `${isValue ? '' : `${flag}=`}${replaced}${value.slice(end)}`
  })
}

/** Suggests the flags of a roster with the columns of its header. */
export function explainRoster(
  { columns, rows }: RosterColumnsError,
  { words, rest }: TypedImport,
): Hint | undefined {
  const find = (kind: string, field: string) =>
    columns.find((column) => fold(column) === fold(field)) ??
    columns.find((column) => lookUp(columnWords, fold(column))?.[kind] === field)
  const [room, role, email] = [find('member', 'room_id'), find('member', 'type'), find('user', 'email')]
  const named = joinNames(columns)
  const name = named ? joinTemplate(named) : find('user', 'name')
  const others = columns.filter((column) => ![room, role, email, name, ...(named ?? [])].includes(column))
  const user = find('user', 'user_id') ?? findIdColumn('member', others, rows)
  if (room === undefined || user === undefined || rest.length === 0) return undefined
  const users = [user, ...(name === undefined ? [] : [name, ...(email === undefined ? [] : [email])])]
  const flags = {
    '--rooms-from': room,
    '--users-from': users.join(','),
    '--role-from': role,
    '--role-map': role && suggestRoleMap(valuesOf(rows, role))[1],
  }
  const isGiven = (flag: string) => rest.some((word) => word === flag || word.startsWith(`${flag}=`))
  const added = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined || value === '' || isGiven(flag) ? [] : [flag, value],
  )
  return ['did you mean: ', suggest([...words, ...rest, ...added])]
}

function turnMaps(rest: readonly string[], columns: readonly string[]): string[] | undefined {
  const isColumn = (text: string) => columns.some((column) => fold(column) === fold(text))
  let isTurned = false
  const turned = rest.map((word, i) => {
    const [, flag = '', field = '', column = ''] = /^(--map=)?([^=]+)=(.+)$/.exec(word) ?? []
    if ((flag === '' && rest[i - 1] !== '--map') || isColumn(field) || !isColumn(column)) return word
    isTurned = true
    return `${flag}${column}=${field}`
  })
  return isTurned ? turned : undefined
}

const joinTemplate = (columns: readonly string[]) => columns.map((column) => `{${column}}`).join(' ')

/** Returns the columns of the given name and the last name; undefined unless both exist. */
function joinNames(columns: readonly string[]): [string, string] | undefined {
  const given = columns.find((column) => givenNames.has(fold(column)))
  const last = columns.find((column) => lastNames.has(fold(column)))
  return given === undefined || last === undefined ? undefined : [given, last]
}

/** Normalizes a column name: ignores letter case, accents, spaces and punctuation. */
const fold = (column: string) =>
  toWordKey(column)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
