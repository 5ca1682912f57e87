import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactTexts } from '../../../../src/cli/lists/paging/compact-texts.ts'

test('a compact set of texts contains exactly the added texts for any characters', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.string({ unit: fc.constantFrom('0', '9', 'a', 'f', 'A', 'g'), maxLength: 4 }),
    fc.constantFrom('0'.repeat(124), '0'.repeat(126), '0'.repeat(128), 'z'.repeat(62), 'z'.repeat(63)),
    fc.constantFrom('', '\ud800', '\udc00', '\ufffd', 'a\0', 'é', 'e\u0301', '\u0161', 'a'.repeat(5000)),
  )
  fc.assert(
    fc.property(fc.array(id, { maxLength: 600 }), id, (ids, other) => {
      const set = new CompactTexts()
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

test('a text that is longer than a chunk does not affect the following texts', () => {
  const set = new CompactTexts()
  const ids = ['a', 'b'.repeat(1_100_000), 'š'.repeat(1_100_000), 'c', 'd']
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => true))
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => false))
})
