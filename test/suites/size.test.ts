import { expect, test } from 'vitest'
import config from '../vitest.config.mts'
import { full, share } from './size.ts'

// No other test fails if the suites run in the wrong size.
test.each([
  ['full', '1'],
  ['test', ''],
])('the vitest mode “%s” sets the size of the suites', async (mode, told) => {
  const { test } = await config({ command: 'serve', mode })
  expect(test?.env).toMatchObject({ TZ: 'UTC', MEETROOM_TEST_FULL: told })
})

test('share divides the cases among rows only in a quick run', () => {
  const cases = ['a', 'b', 'c', 'd', 'e']
  const rows = [-1, 0, 1].map((row) => share(cases, row, 3))
  expect(rows).toEqual(full ? [cases, cases, cases] : [['b', 'e'], ['a', 'd'], ['c']])
})
