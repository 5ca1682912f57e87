import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactTextList } from '../../../src/cli/compact/text-list.ts'
import { CompactTexts } from '../../../src/cli/compact/texts.ts'
import { CompactTuples } from '../../../src/cli/compact/tuples.ts'
import { CompactValues } from '../../../src/cli/compact/values.ts'

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
      expect(ids.map((one) => set.textAt(set.place(one)))).toEqual(ids)
      expect(set.size).toBe(expected.size)
      set.clear()
      expect(ids.filter((one) => set.has(one))).toEqual([])
      expect(ids.map((one) => set.textAt(set.place(one)))).toEqual(ids)
    }),
  )
})

test('a text that is longer than a chunk does not affect the following texts', () => {
  const set = new CompactTexts()
  const ids = ['a', 'b'.repeat(1_100_000), 'š'.repeat(1_100_000), 'c', 'd']
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => true))
  expect(ids.map((id) => set.add(id))).toEqual(ids.map(() => false))
  expect(ids.every((id) => set.textAt(set.place(id)) === id)).toBe(true)
})

test('a compact list of texts contains the kept texts in order, for any characters and lengths', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.integer({ min: 0, max: 9 }).map((digit) => String(digit).repeat(200_000)),
    fc.integer({ min: 0, max: 9 }).map((digit) => `${digit}€`.repeat(300_000)),
  )
  const texts = fc.array(fc.tuple(text, fc.boolean()), { maxLength: 12 })
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 4 }), (batches) => {
      const list = new CompactTextList()
      let expected: string[] = []
      for (const batch of batches) {
        for (const [added] of batch) list.add(added)
        expected.push(...batch.map(([added]) => added))
        const isKept = expected.map((_, i) => batch[i]?.[1] ?? i % 3 > 0)
        list.keep(Uint32Array.from(expected.keys()).filter((i) => isKept[i]))
        expected = expected.filter((_, i) => isKept[i])
        // A failed comparison of long texts would take seconds to print.
        expect(expected.every((one, i) => list.textAt(i) === one)).toBe(true)
      }
    }),
  )
})

test('a compact set of tuples numbers exactly the added tuples, even after the set is cleared', () => {
  const integer = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer())
  const tuples = fc.array(fc.tuple(integer, integer), { maxLength: 600 })
  fc.assert(
    fc.property(tuples, tuples, (...lists) => {
      const set = new CompactTuples(2)
      for (const list of lists) {
        const numbers = new Map<string, number>()
        const expected = list.map((tuple) => {
          const number = numbers.get(String(tuple)) ?? numbers.size
          numbers.set(String(tuple), number)
          return number
        })
        expect(list.map((tuple) => set.place(...tuple))).toEqual(expected)
        expect(list.map((_, i) => [set.get(expected[i] ?? 0, 0), set.get(expected[i] ?? 0, 1)])).toEqual(list)
        expect(list.some((tuple) => set.add(...tuple))).toBe(false)
        expect(set.size).toBe(numbers.size)
        set.clear()
      }
    }),
  )
})

test('a compact list of values returns each added value unchanged', () => {
  const given = ['', 'a', null, 42, 'a', undefined, { b: [1] }, true, '\ud800', 'ž']
  const values = new CompactValues()
  const places = given.map((value) => values.place(value))
  expect(places.map((place) => values.valueAt(place))).toEqual(given)
})
