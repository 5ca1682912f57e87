import { toText } from '../../../api/to-text.ts'
import { UsageError } from '../../../errors.ts'
import { hashKey } from '../../../hash.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import type { Item } from '../../output/views/views.ts'
import { RowKeys } from './keys.ts'
import { formatRowPlace } from './place.ts'
import type { Row } from './rows.ts'

/** Member columns of a file with one row per member, mapped to the fields of a member in a room. */
const memberFields = { user_id: 'user_id', member_type: 'type', member_name: 'name' } as const
export const memberColumns = Object.keys(memberFields)

/** Maximum number of rows held until the end of the file, for rooms whose rows are not adjacent. */
const maxHeldRows = 100_000

interface Group {
  rows: [Row, ...Row[]]
  name: string
  fields: Record<string, unknown>
  members: object[]
  trimmed: string[]
  problem: string | undefined
}

interface ColumnTargets {
  fieldOf(column: string): string
  isUsed(column: string): boolean
}

export async function findScatteredRooms(
  batches: AsyncIterable<Row[]>,
  columns: ColumnTargets,
): Promise<ReadonlySet<number>> {
  const runs = new RowKeys()
  let last = ''
  for await (const rows of batches)
    for (const { fields } of rows) {
      const name = fields ? readRoomName(fields, columns) : ''
      if (name !== '' && name !== last) runs.add(name)
      last = name
    }
  return runs.takeRepeated()
}

/**
 * Merges the rows of each room into one row with several members. Later rows inherit omitted values from the
 * first row. Rooms with non-adjacent rows come last.
 * @param scattered hashes of the names of rooms with non-adjacent rows
 * @throws {UsageError} if those rooms have more than 100,000 rows
 */
export async function* groupRows(
  batches: AsyncIterable<Row[]>,
  columns: ColumnTargets,
  scattered: ReadonlySet<number>,
): AsyncGenerator<Row[]> {
  const held = new Map<string, Group>()
  let heldRows = 0
  let group: Group | undefined
  let number = 0
  const close = (): Row[] => {
    if (!group) return []
    const closed = group
    group = undefined
    return [toRow(closed, ++number)]
  }
  const addRow = (row: Row, fields: Item, before: (name: string) => Group | undefined): Group | undefined => {
    const parts = splitFields(fields, columns)
    const existing = parts.name === '' ? undefined : before(parts.name)
    const first: Group = { rows: [row], ...parts, members: [], trimmed: [], problem: undefined }
    if (existing) addToGroup(existing, row, parts.fields, columns)
    if (parts.member) (existing ?? first).members.push(parts.member)
    return existing ? undefined : first
  }
  for await (const rows of batches) {
    const done: Row[] = []
    for (const row of rows) {
      if (!row.fields) {
        done.push(...close(), { ...row, number: ++number, rows: [row] })
        continue
      }
      const name = readRoomName(row.fields, columns)
      if (scattered.has(hashKey(name))) {
        if (heldRows++ === maxHeldRows) throw tooManyHeldError(row.fields, columns)
        const first = addRow(withoutCellFields(row), row.fields, () => held.get(name))
        if (first) held.set(name, first)
        continue
      }
      const first = addRow(row, row.fields, () => (name === group?.name ? group : undefined))
      if (!first) continue
      done.push(...close())
      group = first
    }
    yield done
  }
  yield close()
  for (const heldGroup of held.values()) yield [toRow(heldGroup, ++number)]
}

function toRow({ rows, fields, members, trimmed, problem }: Group, number: number): Row {
  const row = { number, line: rows[0].line, rows, trimmed }
  if (problem !== undefined) return { ...row, fields: undefined, problem }
  return { ...row, fields: members.length > 0 ? { ...fields, members } : fields }
}

function tooManyHeldError(fields: Item, { fieldOf }: ColumnTargets): UsageError {
  const column = Object.keys(fields).find((column) => fieldOf(column) === 'name') ?? 'name'
  return new UsageError(
    `more than ${maxHeldRows.toLocaleString('en')} rows belong to rooms whose rows are not consecutive`,
    { hint: `sort the file by ${column}, or split the file` },
  )
}

/** Drops the fields of a CSV row, which can be derived from its cells, to save memory. */
function withoutCellFields(row: Row): Row {
  return row.cells ? { ...row, fields: undefined } : row
}

function readRoomName(fields: Item, { fieldOf }: ColumnTargets): string {
  const column = Object.keys(fields).find((column) => fieldOf(column) === 'name')
  const value = column === undefined ? undefined : fields[column]
  return isBlank(value) ? '' : trimWhiteSpace(toText(value))
}

function splitFields(fields: Item, columns: ColumnTargets) {
  const roomFields: Record<string, unknown> = {}
  const memberValues: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    const target = columns.fieldOf(column)
    if (!Object.hasOwn(memberFields, target)) roomFields[column] = value
    else if (!isBlank(value)) memberValues[memberFields[target as keyof typeof memberFields]] = value
  }
  return {
    name: readRoomName(fields, columns),
    fields: roomFields,
    member: Object.keys(memberValues).length > 0 ? memberValues : undefined,
  }
}

function addToGroup(group: Group, row: Row, fields: Item, { fieldOf, isUsed }: ColumnTargets): void {
  const [first] = group.rows
  group.rows.push(row)
  for (const [column, value] of Object.entries(fields)) {
    const before = group.fields[column]
    if (fieldOf(column) === 'name') {
      if (value !== group.name) group.trimmed.push('name')
      continue
    }
    if (!isUsed(column) || isBlank(value) || isEqual(value, before)) continue
    if (isBlank(before)) group.fields[column] = value
    else
      group.problem ??= `${column} of the room differs between ${formatRowPlace(first)} and ${formatRowPlace(row)}`
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
