import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { truncate } from '../../../../src/cli/output/formats/fit.ts'
import {
  layOutByLibrary,
  layOutByPadding,
  layOutColumns,
  TableWriter,
} from '../../../../src/cli/output/formats/table.ts'
import { selectStyle } from '../../../../src/cli/output/terminal/style.ts'
import { own, visible } from '../../../../src/cli/output/terminal/visible.ts'
import { rowKinds } from '../../../../src/cli/output/views/rows.ts'
import { colorValue, type Item, type View, views } from '../../../../src/cli/output/views/views.ts'
import { testHost } from '../../../helpers/host.ts'
import { sized } from '../../../suites/size.ts'

const host = testHost({ tty: true })
const style = await selectStyle(host.stdout, {}, true)
const plain = await selectStyle(host.stdout, {}, false)
const columns = ['id', 'type', 'status', 'name']

const cell = fc
  .oneof(
    fc.constantFrom(
      '',
      ' ',
      'active',
      'terminated',
      'private',
      'host',
      '会議室',
      '👩‍🚀',
      '👨‍👩‍👧‍👦',
      '❤️',
      'e\u0301',
      'क्‍ष',
      'می‌خواهم',
      '가',
      '  x  ',
    ),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  .map(visible)
const rows = fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
  maxLength: 8,
})
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), {
  minLength: columns.length,
  maxLength: columns.length,
})
const paint = fc
  .boolean()
  .map(
    (coloured) => (text: ReturnType<typeof visible>, i: number) =>
      coloured ? colorValue(columns[i] ?? '', text, style) : text,
  )

describe('padding of tables', () => {
  test('layOutByPadding() returns the same table as cli-table3 if cells fit their columns', () => {
    fc.assert(
      fc.property(rows, sizes, paint, (all, widths, colour) => {
        const cut = all.map((row) => row.map((text, i) => truncate(text, widths[i] ?? 0)))
        expect(layOutByPadding(cut, widths, colour)).toBe(layOutByLibrary(cut, widths, colour))
      }),
      { numRuns: sized(100, 2000) },
    )
  })

  test('layOutByPadding() returns the same table as cli-table3 if cells are wider than their columns', () => {
    fc.assert(
      fc.property(rows, sizes, paint, (all, widths, colour) => {
        expect(layOutByPadding(all, widths, colour)).toBe(layOutByLibrary(all, widths, colour))
      }),
      { numRuns: sized(50, 500) },
    )
  })
})

test('layOutColumns() returns the same table as cli-table3', () => {
  const all = Array.from({ length: 40 }, (_, i) => [own`r${i}`, visible('会議'), own`active`, own``])
  const plain = (text: ReturnType<typeof visible>) => text
  expect(layOutColumns(all, [3, 4, 10, 1], plain)).toBe(layOutByLibrary(all, [3, 4, 10, 1], plain))
})

test('layOutByPadding() returns a cell of 200,000 spaces unchanged', () => {
  const blanks = visible(`a${' '.repeat(200_000)}b`)
  expect(layOutByPadding([[blanks, own``]], [300_000, 1], (text) => text)).toBe(own`${blanks}\n`)
})

test('a table on a narrow terminal hides empty columns before other columns', () => {
  const options = { header: true, style: plain, now: undefined, redact: (text: string) => text }
  const items = [
    {
      user_id: 'grace-hopper-1906',
      name: 'Grace Hopper',
      email: 'grace.hopper@example.com',
      profile_url: null,
    },
  ]
  const table = new TableWriter({ ...options, view: views.user, width: 80 })
  expect(table.page(items.map((item) => ({ ...item, default_member_type: 'guest' })))).toBe(
    [
      'USER ID            NAME          EMAIL                     DEFAULT MEMBER TYPE',
      '─────────────────  ────────────  ────────────────────────  ───────────────────',
      'grace-hopper-1906  Grace Hopper  grace.hopper@example.com  guest',
      '',
    ].join('\n'),
  )
  expect(table.omitted).toEqual(['profile_url', 'created_at'])
  // The table omits the column if the service sends no email.
  const other = new TableWriter({ ...options, view: views.user, width: undefined })
  expect(other.page([{ user_id: 'ada' }])).not.toContain('EMAIL')
})

describe('the most important columns of a table on a narrow terminal', () => {
  const draw = (view: View, item: Item, width: number) => {
    const options = {
      view,
      width,
      header: true,
      style: plain,
      now: undefined,
      redact: (text: string) => text,
    }
    const [titles = '', , row = ''] = new TableWriter(options).page([item]).split('\n')
    return [titles, row]
  }
  const step = {
    ...{ step: 'block', user_id: 'mallory', room_id: '66f1a2b3c4d5e6f708192a3b', room_type: 'public' },
    ...{ room_name: 'Art and design, group 2', member_id: '66f1a2b3c4d5e6f708192a3c', status: 'would_block' },
    reason: 'no block in public rooms',
  }
  const change = {
    ...{
      sign: '~',
      action: 'not_in_file',
      kind: 'room',
      key: 'a',
      name: 'Mathematics, first half',
      status: 'unsent',
    },
    ...{
      changes: [{ field: 'name', before: 'Mathematics', after: 'Mathematics, first half' }],
      reason: null,
    },
  }

  test('a table of steps keeps the room name, status and reason on a terminal of 50 columns', () => {
    expect(draw(rowKinds.steps, step, 80)).toEqual([
      'STEP   USER ID  ROOM NAME                STATUS       REASON',
      'block  mallory  Art and design, group 2  would_block  no block in public rooms',
    ])
    expect(draw(rowKinds.steps, step, 60)).toEqual([
      'USER ID  ROOM NAME             STATUS       REASON',
      'mallory  Art and design, gro…  would_block  no block in pub…',
    ])
    expect(draw(rowKinds.steps, step, 50)).toEqual([
      'ROOM NAME            STATUS       REASON',
      'Art and design, gr…  would_block  no block in pub…',
    ])
  })

  test('a table of planned changes keeps the action, item and details on a terminal of 50 columns', () => {
    expect(draw(rowKinds.applied, change, 60)).toEqual([
      'ACTION       ITEM                   STATUS  DETAILS',
      'not_in_file  a (Mathematics, firs…  unsent  name: Mathemati…',
    ])
    expect(draw(rowKinds.applied, change, 50)).toEqual([
      'ACTION       ITEM                 DETAILS',
      'not_in_file  a (Mathematics, fi…  name: Mathemati…',
    ])
  })
})
