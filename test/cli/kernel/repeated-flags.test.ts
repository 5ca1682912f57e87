import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

test.each([
  ['rooms list --limit 1 --limit 2', '--limit'],
  ['rooms create --name A --type open --name=B', '--name'],
  ['rooms list --sort name --sort=type', '--sort'],
  ['rooms list --columns id rooms --columns name', '--columns'],
])('a flag with two different values is refused before any request: %s', async (line, flag) => {
  const { code, stderr } = await world.run(line)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`error: ${flag} takes one value, and was given twice\n`),
  })
  expect(world.requests).toEqual([])
})

test.each([
  'rooms list --limit 2 --limit 2',
  'rooms list --where name=A --where type=open',
  'rooms list --timeout 10 --timeout 20',
  'rooms list -o csv --output json',
  'rooms list --no-color --no-color --json --json',
])(
  'a flag whose values are equal, are conditions, or are set by aliases may be given twice: %s',
  async (line) => {
    expect((await world.run(line)).code).toBe(0)
  },
)
