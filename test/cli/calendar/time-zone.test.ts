import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { dayNumber, TimeZone } from '../../../src/cli/calendar/time-zone.ts'
import { sized } from '../../suites/size.ts'

afterEach(() => void vi.unstubAllEnvs())

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const startOf = (zone: string, year: number, month: number, day: number) =>
  iso(new TimeZone(zone).startOfDay(dayNumber(year, month, day) ?? Number.NaN))

const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'America/St_Johns', 'Australia/Lord_Howe'],
  ...['America/Santiago', 'America/Havana', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Kathmandu'],
]
const instant = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2040, 0) })

describe.each(zones)('the zone %s', (name) => {
  test(`TimeZone computes the same local times for ${name} as Date`, () => {
    vi.stubEnv('TZ', name)
    const [machine, zone] = [new TimeZone(), new TimeZone(name)]
    const property = fc.property(instant, (ms) => {
      expect(zone.formatInstant(ms)).toBe(machine.formatInstant(ms))
      expect(zone.hourOf(ms)).toBe(new Date(ms).getHours())
      const date = new Date(ms)
      const wall = { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() }
      const time = { ...wall, hour: date.getHours(), minute: date.getMinutes() }
      const expected = new Date(wall.year, wall.month - 1, wall.day, time.hour, time.minute).getTime()
      expect([zone.instantOf(time), machine.instantOf(time)]).toEqual([expected, expected])
    })
    fc.assert(property, { numRuns: sized(20, 200) })
  })

  test(`dayOf returns the day that contains the instant in the zone ${name}`, () => {
    const zone = new TimeZone(name)
    const property = fc.property(instant, (ms) => {
      const day = zone.dayOf(ms)
      expect(zone.startOfDay(day)).toBeLessThanOrEqual(ms)
      expect(zone.startOfDay(day + 1)).toBeGreaterThan(ms)
      expect(Math.abs(zone.startOfDay(day) - day * 86_400_000)).toBeLessThanOrEqual(15 * 3_600_000)
    })
    fc.assert(property, { numRuns: sized(20, 200) })
  })
})

test('startOfDay returns the clock change for a day with a skipped midnight', () => {
  expect(startOf('America/Santiago', 2024, 9, 8)).toBe('2024-09-08T04:00')
  // The clock went from 23:30 to 00:30.
  expect(startOf('America/Toronto', 1919, 3, 31)).toBe('1919-03-31T04:30')
})

test('startOfDay returns the first midnight of a day with two midnights', () => {
  expect(startOf('America/Havana', 2025, 11, 2)).toBe('2025-11-02T04:00')
  // The clock went from 00:01 to 23:01 of the day before.
  expect(startOf('America/St_Johns', 2010, 11, 7)).toBe('2010-11-07T02:30')
})

test('startOfDay returns the start of the following day for a skipped calendar day', () => {
  expect([29, 30, 31].map((day) => startOf('Pacific/Apia', 2011, 12, day))).toEqual([
    '2011-12-29T10:00',
    '2011-12-30T10:00',
    '2011-12-30T10:00',
  ])
})

test('instantOf moves a skipped local time forward and maps a repeated one to its first occurrence', () => {
  const zone = new TimeZone('Europe/Berlin')
  const at = (month: number, day: number) =>
    iso(zone.instantOf({ year: 2026, month, day, hour: 2, minute: 30 }))
  expect([at(3, 29), at(10, 25)]).toEqual(['2026-03-29T01:30', '2026-10-25T00:30'])
})

test('formatInstant prints the UTC offset of the zone', () => {
  const ms = Date.UTC(2026, 0, 31, 8, 0, 0, 500)
  expect(
    ['UTC', 'Asia/Kolkata', 'America/St_Johns'].map((name) => new TimeZone(name).formatInstant(ms)),
  ).toEqual(['2026-01-31T08:00:00.500Z', '2026-01-31T13:30:00.500+05:30', '2026-01-31T04:30:00.500-03:30'])
})

test.each([
  [2026, 2, 30],
  [2026, 13, 1],
  [2026, 0, 1],
  [2026, 1, 0],
])('dayNumber returns undefined for the invalid date %d-%d-%d', (year, month, day) => {
  expect(dayNumber(year, month, day)).toBeUndefined()
})
