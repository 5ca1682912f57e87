import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration, readDuration } from '../src/duration.ts'
import { UsageError } from '../src/errors.ts'

const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

describe('a duration', () => {
  test.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['1m30s', 90_000],
    ['1h0m5s', 3_605_000],
    ['90d', 7_776_000_000],
    ['8w', 4_838_400_000],
    ['1.5s', 1500],
    ['1.001s', 1001],
    ['250ms', 250],
    ['0d', 0],
  ])('readDuration parses %s as %d ms', (text, ms) => expect(readDuration(text)).toBe(ms))

  test.each(['', '30', 's', '1.5m', '30s1m', '1m1m', '-1s', '1 s', '1S', '1e3s', '1y', ' 1s', '1s\n', '٣s'])(
    'readDuration returns undefined for %j',
    (text) => expect(readDuration(text)).toBeUndefined(),
  )

  test('readDuration returns the sum of descending units, and undefined for ascending units', () => {
    const parts = fc.record(
      Object.fromEntries(Object.keys(units).map((unit) => [unit, fc.nat(999_999_999)])),
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(parts, (given) => {
        const used = Object.entries(units).filter(([unit]) => given[unit] !== undefined)
        const text = used.map(([unit]) => `${given[unit]}${unit}`).join('')
        const sum = used.reduce((ms, [unit, size]) => ms + (given[unit] ?? 0) * size, 0)
        expect(readDuration(text)).toBe(used.length === 0 ? undefined : sum)
        if (used.length < 2) return
        expect(
          readDuration(
            used
              .map(([unit]) => `${given[unit]}${unit}`)
              .reverse()
              .join(''),
          ),
        ).toBeUndefined()
      }),
    )
  })

  test('a duration has the same value after formatDuration and readDuration', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 10), (ms) => {
        expect(readDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })

  test('formatDuration omits zero units and formats 0 as 0s', () => {
    expect([0, 500, 30_000, 90_000, 600_000, 3_605_000, 86_400_000].map(formatDuration)).toEqual([
      ...['0s', '0.5s', '30s', '1m30s', '10m', '1h5s', '24h'],
    ])
  })
})

describe('duration flags', () => {
  const range = { least: 100, most: 86_400_000 }

  test('parseDuration reads a number without a unit as seconds', () => {
    expect(['30', '0.5', '1.001', '86400', '24h'].map((text) => parseDuration(text, range))).toEqual([
      ...[30_000, 500, 1001, 86_400_000, 86_400_000],
    ])
  })

  test.each([
    [{}, '0', 'must be a duration such as 30s or 1m30s, above 0, not “0”'],
    [{ most: 60_000 }, '61', 'must be a duration such as 30s or 1m30s, above 0 and at most 1m, not “61”'],
    [{ least: 100 }, '99ms', 'must be a duration such as 30s or 1m30s, at least 0.1s, not “99ms”'],
    [range, '1..5', 'must be a duration such as 30s or 1m30s, at least 0.1s and at most 24h, not “1..5”'],
  ])(
    'parseDuration with the limits %j rejects %s and names the valid values in the error',
    (given, text, message) => {
      expect(() => parseDuration(text, given, '--pause')).toThrow(new UsageError(`--pause ${message}`))
    },
  )

  test('parseDuration returns a duration within the limits or throws a UsageError for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[\d.]{0,6}(ms|[wdhms]){0,3}$/), fc.float().map(String)),
        (text) => {
          try {
            const ms = parseDuration(text, range)
            expect(Number.isInteger(ms) && ms >= range.least && ms <= range.most).toBe(true)
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError)
          }
        },
      ),
    )
  })
})
