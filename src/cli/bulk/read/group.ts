import { textOf } from '../../../api/text-of.ts'
import { UsageError } from '../../../errors.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import type { Item } from '../../output/views/views.ts'
import { numberOf, RowKeys } from './keys.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

/** The columns of a member in a file with a row for each, and what they are called in a room. */
const memberFields = { user_id: 'user_id', member_type: 'type', member_name: 'name' } as const
export const memberColumns = Object.keys(memberFields)

/** Number of rows of rooms whose rows do not follow each other that are held until the end of the file. */
const mostHeld = 100_000

interface Group {
  rows: [Row, ...Row[]]
  name: string
  fields: Record<string, unknown>
  members: object[]
  /** The fields of values of later rows that had white space around them. */
  trimmed: string[]
  problem: string | undefined
}

/** How the columns of an input are read. */
interface Columns {
  /** The field that a column is read as. */
  targetOf(column: string): string
  /** Whether a column is imported. */
  isUsed(column: string): boolean
}

/** The numbers of the names whose rows do not all follow each other. */
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
 * The rows of each room as one row with several members. What a later row leaves out is what the first one says. Rooms whose rows
 * do not follow each other come last.
 * @param scattered the numbers of their names
 * @throws {UsageError} when there are too many of them to be held
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
  /** Adds a row to the room that it names, and returns the room where it is the first. */
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

/** A group as a row. */
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

/** A row of a CSV has everything in its cells, and takes less memory without its fields. */
function withoutCellFields(row: Row): Row {
  return row.cells ? { ...row, fields: undefined } : row
}

/** The name of the room, as it is compared: the same with and without white space around it. */
function nameOf(fields: Item, { targetOf }: Columns): string {
  const column = Object.keys(fields).find((column) => targetOf(column) === 'name')
  const value = column === undefined ? undefined : fields[column]
  return isBlank(value) ? '' : trimWhiteSpace(textOf(value))
}

/** What a row says of the room, by its own columns, and of the member. */
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

/** Adds a row to the room of those before it. */
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
