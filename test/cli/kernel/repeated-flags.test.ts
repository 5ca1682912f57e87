import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

test.each([
  ['rooms list --sort name --sort=type', '--sort'],
  ['rooms list --columns id --columns name', '--columns'],
  ['rooms list --query rooms --query paging', '--query'],
])(
  'the command “%s” is refused before any request because it repeats a list of fields or a query',
  async (line, flag) => {
    const { code, stderr } = await world.run(line)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${flag} must be given once, not twice`),
    })
    expect(world.requests).toEqual([])
  },
)

test.each([
  'rooms list --limit 1 --limit 2',
  'rooms list --sort name --sort name',
  'rooms list --where name=A --where type=open',
  'rooms list --timeout 10 --timeout 20',
  'rooms list -o csv --output json',
  'rooms list --no-color --no-color --json --json',
])('the command “%s” with a repeated flag exits 0', async (line) => {
  expect((await world.run(line)).code).toBe(0)
})
