import { expect, test } from 'vitest'
import config from '../vitest.config.mts'
import { full, share } from './size.ts'

// Vitest does not pass the mode to projects, and a suite also passes if it runs in the wrong size.
test.each([
  ['full', '1'],
  ['test', ''],
])('every Vitest project gets the environment variables of the mode “%s”', async (mode, told) => {
  const { projects = [] } = (await config({ command: 'serve', mode })).test ?? {}
  expect(projects.length).toBeGreaterThan(0)
  for (const project of projects)
    expect(project).toMatchObject({ test: { env: { TZ: 'UTC', MEETROOM_TEST_FULL: told } } })
})

test('share divides the cases among neighboring rows in a quick run, and gives each row all cases in a full run', () => {
  const cases = ['a', 'b', 'c', 'd', 'e']
  const rows = [-1, 0, 1].map((row) => share(cases, row, 3))
  expect(rows).toEqual(full ? [cases, cases, cases] : [['b', 'e'], ['a', 'd'], ['c']])
})
