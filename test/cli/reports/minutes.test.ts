import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  clipInterval,
  computeMinutes,
  formatMinutes,
  type Interval,
  mergeIntervals,
  totalLength,
} from '../../../src/cli/reports/minutes.ts'

const last = 300
const moment = fc.integer({ min: 0, max: last })
const interval = fc.tuple(moment, moment).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)])
const intervals = fc.array(interval, { maxLength: 30 })

const covered = (list: readonly Interval[]) =>
  Array.from({ length: last }, (_, at) => list.some(([start, end]) => start <= at && at < end))
const count = (flags: readonly boolean[]) => flags.filter(Boolean).length

test('mergeIntervals() returns sorted, disjoint intervals that cover the same time', () => {
  fc.assert(
    fc.property(intervals, (list) => {
      const merged = mergeIntervals(list)
      expect(covered(merged)).toEqual(covered(list))
      for (const [i, [start, end]] of merged.entries()) {
        expect(start).toBeLessThanOrEqual(end)
        if (i > 0) expect(start).toBeGreaterThan(merged[i - 1]?.[1] ?? 0)
      }
    }),
  )
})

test('mergeIntervals() returns the same intervals for any order of its input', () => {
  const shuffled = intervals.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      expect(totalLength(mergeIntervals(list))).toBe(count(covered(list)))
      expect(mergeIntervals(other)).toEqual(mergeIntervals(list))
      expect(mergeIntervals(mergeIntervals(list))).toEqual(mergeIntervals(list))
    }),
  )
})

test('clipInterval() keeps exactly the time inside the span', () => {
  fc.assert(
    fc.property(intervals, interval, (list, span) => {
      const clipped = list.flatMap((one) => {
        const part = clipInterval(one, span)
        return part ? [part] : []
      })
      const inside = covered(list).map((is, at) => is && at >= span[0] && at < span[1])
      expect(covered(clipped)).toEqual(inside)
    }),
  )
})

test.each<[Interval, Interval, Interval | undefined]>([
  // A span contains the instant at its start, but not the instant at its end.
  [
    [5, 5],
    [5, 9],
    [5, 5],
  ],
  [[9, 9], [5, 9], undefined],
  [
    [7, 7],
    [5, 9],
    [7, 7],
  ],
  // An interval that only touches a span is outside the span.
  [[1, 5], [5, 9], undefined],
  [[9, 12], [5, 9], undefined],
  [
    [1, 12],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    [1, 12],
  ],
])('clipInterval() of %j to the span %j returns %j', (one, span, part) => {
  expect(clipInterval(one, span)).toEqual(part)
})

test('computeMinutes() rounds to one decimal', () => {
  const minutes = (seconds: number) => computeMinutes([[0, seconds * 1000]])
  expect([0, 2, 3, 57, 60, 90, 3599].map(minutes)).toEqual([0, 0, 0.1, 1, 1, 1.5, 60])
})

test('formatMinutes() prints one decimal and thousands separators', () => {
  const minutes = [0, 0.1, 67.5, 999, 1000, 12_345.6, 1_234_567]
  expect(minutes.map(formatMinutes)).toEqual([
    '0.0',
    '0.1',
    '67.5',
    '999.0',
    '1,000.0',
    '12,345.6',
    '1,234,567.0',
  ])
})
