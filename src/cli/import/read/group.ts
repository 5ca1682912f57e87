import { omitUndefined } from '../../../api/defined.ts'
import { member } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { UsageError } from '../../../errors.ts'
import { hashKey } from '../../../hash.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import { type Item, views } from '../../output/views/views.ts'
import { deriveColumns } from '../adapter/adapter.ts'
import { RowKeys } from './checked-row.ts'
import { formatRowPlace } from './place.ts'
import { createRowReader, type ReaderOptions, type RowReader } from './reader.ts'
import type { Row } from './rows.ts'

export const memberColumns = ['user_id', 'member_type', 'member_name']

/** Creates a reader whose bodies have the names of member columns, such as `member_type`. */
export function createMemberReader(options: ReaderOptions): Promise<RowReader> {
  const { user_id, type, name } = member.fields
  const fields = { user_id, member_type: type, member_name: { ...name, write: 'create' } } as const
  const columns = deriveColumns({ fields }, views.member, { path: '' })
  return createRowReader({ ...columns, view: views.member }, { ...options, memberColumns: [] })
}

/** Maximum number of held rows of rooms whose rows are not adjacent. */
const maxHeldRows = 100_000

interface Group {
  first: Row
  /** Rows of the room, without rows whose member is invalid. */
  rows: Row[]
  name: string
  fields: Record<string, unknown>
  members: object[]
  trimmed: string[]
  problem: string | undefined
}

type ColumnTargets = Pick<RowReader, 'fieldOf' | 'isUsed'>

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
 * Merges the rows of each room into one row that lists the members. A row with an invalid member stays
 * separate.
 * @param scattered hashes of the names of rooms with non-adjacent rows
 * @throws {UsageError} if more than `maxHeldRows` rows must be held
 */
export async function* groupRows(
  batches: AsyncIterable<Row[]>,
  columns: ColumnTargets,
  memberReader: RowReader,
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
    return closed.rows.length === 0 ? [] : [toRow(closed, ++number)]
  }
  const addRow = (
    row: Row,
    { fields, memberValues }: ReturnType<typeof splitFields>,
    target: Group,
  ): string | undefined => {
    if (row !== target.first) mergeFields(target, row, fields, columns)
    if (!memberValues) {
      target.rows.push(row)
      return undefined
    }
    const reading = memberReader.read(memberValues)
    if (!reading.body) return reading.problem
    target.rows.push({ ...row, user: toText(reading.body['user_id']) })
    const { user_id, member_type: type, member_name: name } = reading.body
    target.members.push(omitUndefined({ user_id, type, name }))
    target.trimmed.push(...(reading.trimmed ?? []))
    return undefined
  }
  for await (const rows of batches) {
    const done: Row[] = []
    for (const row of rows) {
      if (!row.fields) {
        done.push(...close(), { ...row, number: ++number })
        continue
      }
      const parts = splitFields(row.fields, columns)
      const { name, fields } = parts
      const isHeld = scattered.has(hashKey(name))
      if (isHeld && heldRows++ === maxHeldRows) throw tooManyHeldError(row.fields, columns)
      // Drops the fields of a held CSV row to save memory. Rejects need only the cells.
      const stored = isHeld && row.cells ? { ...row, fields: undefined } : row
      let target = isHeld ? held.get(name) : name !== '' && name === group?.name ? group : undefined
      if (!target) {
        target = { first: stored, rows: [], name, fields, members: [], trimmed: [], problem: undefined }
        if (isHeld) held.set(name, target)
        else {
          done.push(...close())
          group = target
        }
      }
      const problem = addRow(stored, parts, target)
      if (problem !== undefined) done.push({ ...stored, number: ++number, problem })
    }
    yield done
  }
  yield close()
  for (const heldGroup of held.values()) if (heldGroup.rows.length > 0) yield [toRow(heldGroup, ++number)]
}

function toRow({ first, rows, fields, members, trimmed, problem }: Group, number: number): Row {
  const row = { number, line: first.line, rows, trimmed }
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

function readRoomName(fields: Item, { fieldOf }: ColumnTargets): string {
  const column = Object.keys(fields).find((column) => fieldOf(column) === 'name')
  const value = column === undefined ? undefined : fields[column]
  return isEmptyValue(value) ? '' : trimWhiteSpace(toText(value))
}

function splitFields(fields: Item, columns: ColumnTargets) {
  const roomFields: Record<string, unknown> = {}
  const memberValues: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    const target = columns.fieldOf(column)
    if (!memberColumns.includes(target)) roomFields[column] = value
    else if (!isEmptyValue(value)) memberValues[column] = value
  }
  return {
    name: readRoomName(fields, columns),
    fields: roomFields,
    memberValues: Object.keys(memberValues).length > 0 ? memberValues : undefined,
  }
}

function mergeFields(group: Group, row: Row, fields: Item, { fieldOf, isUsed }: ColumnTargets): void {
  const { first } = group
  for (const [column, value] of Object.entries(fields)) {
    const before = group.fields[column]
    if (fieldOf(column) === 'name') {
      if (value !== group.name) group.trimmed.push('name')
      continue
    }
    if (!isUsed(column) || isEmptyValue(value) || JSON.stringify(value) === JSON.stringify(before)) continue
    if (isEmptyValue(before)) group.fields[column] = value
    else
      group.problem ??= `${column} of the room differs between ${formatRowPlace(first)} and ${formatRowPlace(row)}`
  }
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
