import { expect, test } from 'vitest'
import { IdSet } from '../../../../src/cli/lists/paging/id-set.ts'

test('a set of 80,000 IDs contains every added ID', () => {
  const set = new IdSet()
  const ids = Array.from({ length: 80_000 }, (_, i) => `user-${i}`)
  expect(ids.filter((id) => !set.add(id))).toEqual([])
  expect(ids.filter((id) => set.add(id))).toEqual([])
  expect([set.size, set.has('user-80000')]).toEqual([80_000, false])
})
