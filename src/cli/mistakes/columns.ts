import { findClosest } from '../../api/closest.ts'
import { idPattern } from '../../api/path.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import { type Hint, suggest } from '../../errors.ts'
import { createMembers } from '../import/adapters/members.ts'
import { createRooms } from '../import/adapters/rooms.ts'
import { createUsers } from '../import/adapters/users.ts'
import {
  type ColumnsError,
  describeMapping,
  type MissingColumnError,
} from '../import/read/unknown-columns.ts'
import { toWordKey } from '../matching/match.ts'
import { columnWords, type FieldByKind, givenNames, lastNames, lookUp } from './meanings.ts'

interface TypedImport {
  /** Words of the command, such as `['users', 'import']`. */
  words: readonly string[]
  /** Other words, as `splitTyped` returns them. */
  rest: readonly string[]
  file?: string | undefined
}

export function explainColumns({ found }: ColumnsError, typed: TypedImport): Hint | undefined {
  const { kind, columns, ignored, free, missing, flags: defaultFlags } = found
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
  if (maps.size === 0) return hasNoHeader(found) ? describeHeader : undefined
  const flags = [...maps].flatMap(([column, field]) => ['--map', `${column}=${field}`])
  const absent = missing.filter((field) => left.has(field))
  const mapped =
    others.length === 0 && absent.length === 0 && rest.length > 0
      ? suggest([...words, ...rest, ...flags])
      : undefined
  const roster = suggestRoster(found, maps, file)
  if (roster && (maps.has('room_name') || !mapped)) return ['members import needs the IDs of rooms; ', roster]
  if (mapped) return roster ? ['if the rooms are IDs: ', mapped, '; ', roster] : ['did you mean: ', mapped]
  const more =
    others.length > 0
      ? ` For the others, ${describeMapping(others)}`
      : absent.map((field) => ` There is no column ${field}${describeFlag(defaultFlags[field])}.`).join('')
  return `did you mean ${flags.map(quoteForShell).join(' ')}?${more}`
}

const describeFlag = (flag: string | undefined) => (flag === undefined ? '' : `; pass ${flag}`)

const describeHeader =
  'the first line looks like data; begin the file with a line that names the columns after these fields'

/**
 * Returns true if no column is known, and a column looks like data. A single unknown column always counts as
 * data.
 */
function hasNoHeader({ all, columns }: ColumnsError['found']): boolean {
  const isData = (cell: string) => /\S@\S+\.\S|:\/\/|^[\d.:/-]+$/.test(cell) || idPattern.test(cell)
  return columns.length === all.length && (all.length === 1 || all.some(isData))
}

/** Returns the name of another import that accepts the columns; undefined if there is none. */
function findOtherImport({ kind, all }: ColumnsError['found']): string | undefined {
  const adapters = [createUsers({ ifExists: 'fail' }), createRooms({}), createMembers()]
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

/** Suggests `workspace diff` for memberships with room names, because `members import` reads only IDs. */
function suggestRoster(
  { kind, all }: ColumnsError['found'],
  maps: ReadonlyMap<string, string>,
  file = '',
): Hint | undefined {
  const find = (field: string) =>
    all.find((column) => maps.get(column) === field) ?? all.find((column) => fold(column) === fold(field))
  const [room, user, role] = [find('room_id'), find('user_id'), find('type')]
  if (kind !== 'member' || room === undefined || user === undefined) return undefined
  if (fold(room) === 'roomid' || !/\.[ct]sv$/i.test(file)) return undefined
  const flags = ['--rooms-from', room, '--users-from', user]
  const words = ['workspace', 'diff', file, ...flags, ...(role === undefined ? [] : ['--role-from', role])]
  return ['if the rooms are names: ', suggest(words)]
}

/** Suggests the column that a flag probably means. Swaps the sides of `--map FIELD=COLUMN`. */
export function explainMissingColumn(
  { column, columns, fields }: MissingColumnError,
  { words, rest }: TypedImport,
): Hint | undefined {
  const turned = fields.includes(column) ? turnMaps(rest, columns) : undefined
  if (turned) return ['--map must be COLUMN=FIELD: ', suggest([...words, ...turned])]
  const meaning = lookUp(columnWords, fold(column))
  const isMeant = (fields: FieldByKind | undefined) =>
    fields !== undefined && (fields === meaning || fields['user'] === column.toLowerCase())
  const named =
    column.toLowerCase() === 'name' || meaning?.['user'] === 'name' ? joinNames(columns) : undefined
  const meant =
    findClosest(column, columns) ??
    columns.find((each) => isMeant(lookUp(columnWords, fold(each)))) ??
    (named && joinTemplate(named))
  return meant === undefined ? undefined : `did you mean “${meant}”?`
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
