import type { Item } from '../../output/views.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

/** The columns of a member in a file with a row for each, and what they are called in a room. */
const memberFields = { user_id: 'user_id', member_type: 'type', member_name: 'name' } as const
export const memberColumns = Object.keys(memberFields)

interface Group {
  rows: [Row, ...Row[]]
  name: unknown
  fields: Record<string, unknown>
  members: object[]
  problem: string | undefined
}

/**
 * Rows that follow each other and name the same room, as one row with several members. What a later row leaves out is
 * what the first one says.
 * @param targetOf the field that a column is read as
 */
export async function* grouped(
  batches: AsyncIterable<Row[]>,
  targetOf: (column: string) => string,
): AsyncGenerator<Row[]> {
  let group: Group | undefined
  let number = 0
  const close = (): Row[] => {
    if (!group) return []
    const { rows, fields, members, problem } = group
    const [first] = rows
    const row = { number: ++number, line: first.line, rows }
    group = undefined
    if (problem !== undefined) return [{ ...row, fields: undefined, problem }]
    return [{ ...row, fields: members.length > 0 ? { ...fields, members } : fields }]
  }
  for await (const rows of batches) {
    const done: Row[] = []
    for (const row of rows) {
      if (!row.fields) {
        done.push(...close(), { ...row, number: ++number, rows: [row] })
        continue
      }
      const { name, fields, member } = partsOf(row.fields, targetOf)
      if (!group || isBlank(name) || name !== group.name) {
        done.push(...close())
        group = { rows: [row], name, fields, members: [], problem: undefined }
      } else {
        add(group, row, fields)
      }
      if (member) group.members.push(member)
    }
    yield done
  }
  yield close()
}

/** What a row says of the room, by its own columns, and of the member. */
function partsOf(fields: Item, targetOf: (column: string) => string) {
  let name: unknown
  const ofRoom: Record<string, unknown> = {}
  const ofMember: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    const target = targetOf(column)
    if (target === 'name') name = value
    if (!Object.hasOwn(memberFields, target)) ofRoom[column] = value
    else if (!isBlank(value)) ofMember[memberFields[target as keyof typeof memberFields]] = value
  }
  return { name, fields: ofRoom, member: Object.keys(ofMember).length > 0 ? ofMember : undefined }
}

/** Adds a row to the room of those before it. */
function add(group: Group, row: Row, fields: Item): void {
  const [first] = group.rows
  group.rows.push(row)
  for (const [column, value] of Object.entries(fields)) {
    const before = group.fields[column]
    if (isBlank(value) || JSON.stringify(value) === JSON.stringify(before)) continue
    if (isBlank(before)) group.fields[column] = value
    else group.problem ??= `${column} of the room differs between ${rowPlace(first)} and ${rowPlace(row)}`
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
