import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseBoolean, parseEnd, parseNumber, parseTimestamp } from '../../src/api/readings.ts'

afterEach(() => void vi.unstubAllEnvs())

const noon = Date.UTC(2026, 0, 31, 12)

describe.each(['UTC', 'Asia/Seoul', 'America/St_Johns'])('parseTimestamp in the time zone %s', (zone) => {
  test.each<[unknown, number | null | undefined]>([
    ['2026-01-31T12:00:00.000Z', noon],
    ['2026-01-31T12:00:00', noon],
    ['2026-01-31 12:00:00', noon],
    ['2026-01-31T12:00', noon],
    ['2026-01-31 12:00:00 UTC', noon],
    ['2026-01-31 12:00:00.000+00', noon],
    ['2026-01-31T12:00:00.000000000Z', noon],
    ['2026-01-31T21:00:00+0900', noon],
    ['2026-01-31T21:00:00+09:00', noon],
    ['2026-01-31T08:30:00-03:30', noon],
    ['Sat, 31 Jan 2026 12:00:00 GMT', noon],
    ['2026-01-31', noon - 12 * 3_600_000],
    [noon, noon],
    [noon / 1000, noon],
    [noon / 1000 + 0.5, noon + 500],
    [String(noon), noon],
    [String(noon / 1000), noon],
    [null, null],
    ['', null],
    [false, null],
    [0, null],
    ['0', null],
    [-62_135_596_800, null],
    ['0001-01-01T00:00:00Z', null],
    ['0001-01-01T00:00:00', null],
    ['0000-01-01 00:00:00', null],
    ['1970-01-01T00:00:00.000Z', null],
    ['1970-01-01T09:00:00+09:00', null],
    [undefined, undefined],
    [true, undefined],
    [1, null],
    [20_260_131, undefined],
    [5e10, undefined],
    [1.7e15, undefined],
    [Number.NaN, undefined],
    ['yesterday', undefined],
    ['1.5', null],
    ['0000-00-00 00:00:00', null],
    ['2026-02-30T12:00:00Z', undefined],
    ['2026-13-01', undefined],
    ['31/01/2026 12:00', undefined],
    ['Jan 31 2026 12:00', undefined],
    [{}, undefined],
    [[], undefined],
  ])(`parseTimestamp parses %o as %j in the time zone ${zone}`, (value, expected) => {
    vi.stubEnv('TZ', zone)
    expect(parseTimestamp(value)).toBe(expected)
  })
})

test('parseEnd returns null if a session ends before it starts', () => {
  const at = (minute: number) => new Date(noon + minute * 60_000).toISOString()
  expect(parseEnd(at(0), at(1))).toBe(noon + 60_000)
  expect(parseEnd(at(0), at(0))).toBe(noon)
  expect(parseEnd(at(1), at(0))).toBeNull()
  expect(parseEnd('unreadable', at(0))).toBe(noon)
  expect(parseEnd(at(0), 'unreadable')).toBeUndefined()
})

test.each<[unknown, boolean | null | undefined]>([
  [true, true],
  ['true', true],
  ['TRUE', true],
  [1, true],
  ['1', true],
  [false, false],
  ['False', false],
  [0, false],
  ['0', false],
  [null, null],
  ['', null],
  [undefined, undefined],
  [2, undefined],
  ['yes', undefined],
  ['#DEPRECATED#', undefined],
])('parseBoolean parses %j as %j', (value, expected) => {
  expect(parseBoolean(value)).toBe(expected)
})

test.each<[unknown, number | null | undefined]>([
  [0, 0],
  ['90', 90],
  [' 1.5e3 ', 1500],
  ['-2', -2],
  [null, null],
  ['', null],
  [undefined, undefined],
  [true, undefined],
  ['many', undefined],
  ['0x10', undefined],
])('parseNumber parses %j as %j', (value, expected) => {
  expect(parseNumber(value)).toBe(expected)
})
