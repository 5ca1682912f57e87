import { expect, test } from 'vitest'
import config from '../vitest.config.mts'
import { full, share } from './size.ts'

// Vitest does not tell the mode to projects by itself, and a suite that runs in its quick form passes as well.
test.each([
  ['full', '1'],
  ['test', ''],
])('all suites run in the size of the mode “%s”', async (mode, told) => {
  const { projects = [] } = (await config({ command: 'serve', mode })).test ?? {}
  expect(projects.length).toBeGreaterThan(0)
  for (const project of projects)
    expect(project).toMatchObject({ test: { env: { TZ: 'UTC', MEETROOM_TEST_FULL: told } } })
})

test('neighboring rows of a product share its cases in the quick form, and run all of them in the full form', () => {
  const cases = ['a', 'b', 'c', 'd', 'e']
  const rows = [-1, 0, 1].map((row) => share(cases, row, 3))
  expect(rows).toEqual(full ? [cases, cases, cases] : [['b', 'e'], ['a', 'd'], ['c']])
})
