import { expect, expectTypeOf, test } from 'vitest'
import { type RowOf, rowKinds } from '../../../../src/cli/output/views/rows.ts'

test('a row with a missing or misspelled field causes a compile error', () => {
  const row = { room_id: 'r1', room_name: 'A', status: 'ok', reason: null } as const
  expectTypeOf(row).toExtend<RowOf<'rooms'>>()
  // @ts-expect-error: no reason
  const short: RowOf<'rooms'> = { room_id: 'r1', room_name: 'A', status: 'ok' }
  // @ts-expect-error: misspelled
  const misspelled: RowOf<'rooms'> = { ...row, raeson: null }
  // @ts-expect-error: not a status
  const wrong: RowOf<'rooms'> = { ...row, status: 'okay' }
  // @ts-expect-error: misspelled field that may be missing
  const optional: RowOf<'results'> = { row: 1, status: 'ok', eror: 'refused' }
  // @ts-expect-error: a table cell is not a field
  const cell: RowOf<'roomsWithPages'> = { ...row, page_ids: [], pages: 1 }
  expect([short, misspelled, wrong, optional, cell]).toHaveLength(5)
})

test('rowKinds.roomsWithPages has the column pages and the field page_ids', () => {
  const { columns, fields } = rowKinds.roomsWithPages
  expect(columns.map(({ field }) => field)).toEqual(['room_id', 'room_name', 'status', 'reason', 'pages'])
  expect(fields).toEqual(['room_id', 'room_name', 'status', 'reason', 'page_ids'])
})
