import { textOf } from '../../../api/text-of.ts'
import { UsageError } from '../../../errors.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import type { Item } from '../../output/views/views.ts'
import { numberOf, RowKeys } from './keys.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

/** Member columns of a file with one row per member, and their fields in a room. */
const memberFields = { user_id: 'user_id', member_type: 'type', member_name: 'name' } as const
export const memberColumns = Object.keys(memberFields)

/** Maximum number of rows held until the end of the file, for rooms whose rows are not adjacent. */
const mostHeld = 100_000

interface Group {
  rows: [Row, ...Row[]]
  name: string
  fields: Record<string, unknown>
  members: object[]
  trimmed: string[]
  problem: string | undefined
}

interface Columns {
  targetOf(column: string): string
  isUsed(column: string): boolean
}

/** Finds the rooms whose rows are not all adjacent, as hashes of their names. */
export async function scatteredNames(
  batches: AsyncIterable<Row[]>,
  columns: Columns,
): Promise<ReadonlySet<number>> {
  const runs = new RowKeys()
  let last = ''
  for await (const rows of batches)
    for (const { fields } of rows) {
      const name = fields ? nameOf(fields, columns) : ''
      if (name !== '' && name !== last) runs.add(name)
      last = name
    }
  return runs.repeated()
}

/**
 * Merges the rows of each room into one row with several members. Later rows inherit omitted values from the
 * first. Rooms with non-adjacent rows come last.
 * @param scattered hashes of their names
 * @throws {UsageError} when they have too many rows to hold
 */
export async function* grouped(
  batches: AsyncIterable<Row[]>,
  columns: Columns,
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
    return [rowOf(closed, ++number)]
  }
  /** Adds a row to its room; returns the room when the row is its first. */
  const begun = (row: Row, fields: Item, before: (name: string) => Group | undefined): Group | undefined => {
    const parts = partsOf(fields, columns)
    const same = parts.name === '' ? undefined : before(parts.name)
    const first: Group = { rows: [row], ...parts, members: [], trimmed: [], problem: undefined }
    if (same) add(same, row, parts.fields, columns)
    if (parts.member) (same ?? first).members.push(parts.member)
    return same ? undefined : first
  }
  for await (const rows of batches) {
    const done: Row[] = []
    for (const row of rows) {
      if (!row.fields) {
        done.push(...close(), { ...row, number: ++number, rows: [row] })
        continue
      }
      const name = nameOf(row.fields, columns)
      if (scattered.has(numberOf(name))) {
        if (heldRows++ === mostHeld) throw tooManyHeld(row.fields, columns)
        const first = begun(withoutCellFields(row), row.fields, () => held.get(name))
        if (first) held.set(name, first)
        continue
      }
      const first = begun(row, row.fields, () => (name === group?.name ? group : undefined))
      if (!first) continue
      done.push(...close())
      group = first
    }
    yield done
  }
  yield close()
  for (const one of held.values()) yield [rowOf(one, ++number)]
}

function rowOf({ rows, fields, members, trimmed, problem }: Group, number: number): Row {
  const row = { number, line: rows[0].line, rows, trimmed }
  if (problem !== undefined) return { ...row, fields: undefined, problem }
  return { ...row, fields: members.length > 0 ? { ...fields, members } : fields }
}

function tooManyHeld(fields: Item, { targetOf }: Columns): UsageError {
  const column = Object.keys(fields).find((column) => targetOf(column) === 'name') ?? 'name'
  return new UsageError(
    `more than ${mostHeld.toLocaleString('en')} rows are of rooms whose rows do not follow each other`,
    { hint: `sort the file by ${column}, or import it in parts` },
  )
}

/** Drops the fields of a CSV row, which can be derived from its cells, to save memory. */
function withoutCellFields(row: Row): Row {
  return row.cells ? { ...row, fields: undefined } : row
}

/** Returns the room name for comparison, without surrounding white space. */
function nameOf(fields: Item, { targetOf }: Columns): string {
  const column = Object.keys(fields).find((column) => targetOf(column) === 'name')
  const value = column === undefined ? undefined : fields[column]
  return isBlank(value) ? '' : trimWhiteSpace(textOf(value))
}

function partsOf(fields: Item, columns: Columns) {
  const ofRoom: Record<string, unknown> = {}
  const ofMember: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    const target = columns.targetOf(column)
    if (!Object.hasOwn(memberFields, target)) ofRoom[column] = value
    else if (!isBlank(value)) ofMember[memberFields[target as keyof typeof memberFields]] = value
  }
  return {
    name: nameOf(fields, columns),
    fields: ofRoom,
    member: Object.keys(ofMember).length > 0 ? ofMember : undefined,
  }
}

function add(group: Group, row: Row, fields: Item, { targetOf, isUsed }: Columns): void {
  const [first] = group.rows
  group.rows.push(row)
  for (const [column, value] of Object.entries(fields)) {
    const before = group.fields[column]
    if (targetOf(column) === 'name') {
      if (value !== group.name) group.trimmed.push('name')
      continue
    }
    if (!isUsed(column) || isBlank(value) || isSame(value, before)) continue
    if (isBlank(before)) group.fields[column] = value
    else group.problem ??= `${column} of the room differs between ${rowPlace(first)} and ${rowPlace(row)}`
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
