import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tsvLine } from '../../../../src/cli/output/formats/tsv.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

function serveNames(...names: unknown[]): void {
  const rooms = names.map((name, i) => ({ id: `r${i}`, type: 'open', name, ...(i === 0 && { seats: 5 }) }))
  world.intercept = async () => answer(200, { rooms, paging: { total: rooms.length, limit: 30, offset: 0 } })
}

const print = async (line: string, options = {}) => {
  const { code, stdout, stderr } = await world.run(line, options)
  expect(code, stderr).toBe(0)
  return stdout
}

test('rooms list -o tsv prints a header and one tab-separated line per item', async () => {
  serveNames('one', 'two')
  expect(await print('rooms list -o tsv --columns id,name,seats')).toBe(
    'id\tname\tseats\nr0\tone\t5\nr1\ttwo\t\n',
  )
  expect(await print('rooms list -o tsv --columns id,name --no-header')).toBe('r0\tone\nr1\ttwo\n')
})

test('rooms list -o tsv prints the same columns as -o csv', async () => {
  serveNames('one', null)
  const csv = await print('rooms list -o csv')
  expect(await print('rooms list -o tsv')).toBe(csv.replaceAll(',', '\t').replaceAll('\r\n', '\n'))
})

test('rooms get -o tsv prints a header and one line', async () => {
  world.intercept = async () => answer(200, { room: { id: 'r1', name: 'one', type: 'open' } })
  expect(await print('rooms get r1 -o tsv --columns id,name')).toBe('id\tname\nr1\tone\n')
})

test('rooms list -o tsv escapes tabs, line breaks and backslashes in a cell', async () => {
  serveNames('a\tb\nc\rd\\n', '=1+1', '"quoted"')
  expect(await print('rooms list -o tsv --columns name --no-header')).toBe(
    'a\\tb\\nc\\rd\\\\n\n=1+1\n"quoted"\n',
  )
})

test('rooms list -o tsv escapes control characters on a terminal', async () => {
  serveNames('a\u001b[31m\tb')
  expect(await print('rooms list -o tsv --columns id,name --no-header', { tty: true })).toBe(
    'r0\ta\\u001b[31m\\tb\n',
  )
})

test('users list -o tsv prints the column access_token only with --show-tokens', async () => {
  await world.send('POST', '/users', { user_id: 'ada' })
  expect(await print('users list -o tsv')).not.toContain('access_token')
  expect(await print('users list -o tsv --show-tokens')).toContain('access_token')
})

test('MEETROOM_OUTPUT=tsv selects TSV output', async () => {
  serveNames('one')
  expect(await print('rooms list --columns name', { env: { MEETROOM_OUTPUT: 'tsv' } })).toBe('name\none\n')
})

test('tsvLine() output can be parsed back into the original cells', () => {
  const undo = (cell: string) =>
    cell.replace(/\\(.)/g, (_, letter) => ({ t: '\t', n: '\n', r: '\r', '\\': '\\' })[letter as 't'] ?? '?')
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
      const line = tsvLine(cells)
      expect(line.indexOf('\n')).toBe(line.length - 1)
      expect(line.slice(0, -1).split('\t').map(undo)).toEqual(cells)
    }),
  )
})
