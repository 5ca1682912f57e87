import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTimestamp } from '../../../src/embedded/common/values.ts'

const latest = 8.64e15

test('formatTimestamp returns the same text as toISOString for any time in range', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: -latest, max: latest })),
      (ms) => {
        expect(formatTimestamp(ms)).toBe(new Date(ms).toISOString())
      },
    ),
  )
  for (const time of ['1970-01-01T00:00:00.000Z', '0999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z'])
    expect(formatTimestamp(Date.parse(time))).toBe(time)
})

test('formatTimestamp returns null for null and throws a 503 error for a time out of range', () => {
  expect(formatTimestamp(null)).toBe(null)
  expect(() => formatTimestamp(latest + 1)).toThrow(expect.objectContaining({ status: 503 }))
})
