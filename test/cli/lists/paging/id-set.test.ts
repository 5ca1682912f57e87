import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactIds, IdSet } from '../../../../src/cli/lists/paging/id-set.ts'

test('a compact set of IDs contains exactly the added IDs, with any characters', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('', '\ud800', '\udc00', '\ufffd', 'a\0', 'é', 'e\u0301', '\u0161', 'a'.repeat(5000)),
  )
  fc.assert(
    fc.property(fc.array(id, { maxLength: 600 }), id, (ids, other) => {
      const set = new CompactIds()
      const expected = new Set<string>()
      const isNew = ids.map((one) => expected.size < expected.add(one).size)
      expect(ids.map((one) => set.add(one))).toEqual(isNew)
      expect(set.size).toBe(expected.size)
      expect([...ids, other].map((one) => set.has(one))).toEqual(
        [...ids, other].map((one) => expected.has(one)),
      )
    }),
  )
})

test('a set of IDs becomes compact when it is large', () => {
  const set = new IdSet()
  const ids = Array.from({ length: 80_000 }, (_, i) => `user-${i}`)
  expect(ids.filter((id) => !set.add(id))).toEqual([])
  expect(ids.filter((id) => set.add(id))).toEqual([])
  expect([set.size, set.has('user-80000')]).toEqual([80_000, false])
})

test('an ID that is longer than a chunk does not affect the following IDs', () => {
  const set = new CompactIds()
  const ids = ['a', 'b'.repeat(1_100_000), 'š'.repeat(1_100_000), 'c', 'd']
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => true))
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => false))
})
