import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeCoverage } from '../../../src/cli/output/bars.ts'
import { type Interval, mergeIntervals, totalLength } from '../../../src/cli/reports/minutes.ts'

const last = 300
const moment = fc.integer({ min: 0, max: last })
const interval = fc.tuple(moment, moment).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)])
const intervals = fc.array(interval, { maxLength: 30 })

test('the segments of computeCoverage() add up to the covered time', () => {
  const pieces = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(intervals, pieces, (list, pieces) => {
      const merged = mergeIntervals(list)
      const parts = computeCoverage(merged, [0, last], pieces)
      expect(parts).toHaveLength(pieces)
      const sum = parts.reduce((sum, part) => sum + part, 0)
      expect((sum * last) / pieces).toBeCloseTo(totalLength(merged), 6)
      for (const [i, part] of parts.entries()) {
        expect(part).toBeLessThanOrEqual(1)
        const [from, to] = [(i * last) / pieces, ((i + 1) * last) / pieces]
        const touched = merged.some(([start, end]) => start < to && end > from)
        if (touched) expect(part).toBeGreaterThan(0)
      }
    }),
  )
})

test('computeCoverage() returns a positive value for an interval of zero length', () => {
  expect(computeCoverage([[5, 5]], [0, 10], 2).map((part) => part > 0)).toEqual([false, true])
  expect(computeCoverage([[5, 5]], [5, 5], 3)).toEqual([1, 1, 1])
  expect(computeCoverage([], [5, 5], 3)).toEqual([0, 0, 0])
})
