import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysOf, labelOf, parsePeriod, periodUnits } from '../../../src/cli/calendar/period.ts'
import { dayNumber, TimeZone } from '../../../src/cli/calendar/time-zone.ts'

/** A Friday in Berlin, but a Thursday in UTC. */
const now = Date.parse('2026-10-29T23:30Z')

test.each([
  ['today', '2026-10-30T00:00:00+01:00', '2026-10-31T00:00:00+01:00'],
  ['yesterday', '2026-10-29T00:00:00+01:00', '2026-10-30T00:00:00+01:00'],
  ['this-week', '2026-10-26T00:00:00+01:00', '2026-11-02T00:00:00+01:00'],
  ['last-week', '2026-10-19T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
  ['this-month', '2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00'],
  ['Last-Month', '2026-09-01T00:00:00+02:00', '2026-10-01T00:00:00+02:00'],
  ['2026-W43', '2026-10-19T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
  ['2020-w53', '2020-12-28T00:00:00+01:00', '2021-01-04T00:00:00+01:00'],
  ['2026-W01', '2025-12-29T00:00:00+01:00', '2026-01-05T00:00:00+01:00'],
  ['2026-10-25', '2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
  ['2025-12', '2025-12-01T00:00:00+01:00', '2026-01-01T00:00:00+01:00'],
])('parsePeriod parses %s as the period from %s to %s', (text, from, to) => {
  const zone = new TimeZone('Europe/Berlin')
  expect(parsePeriod(text, now, zone)?.map((ms) => zone.formatInstant(ms))).toEqual([from, to])
})

test.each([
  '',
  '2026',
  '2026-13',
  '2026-00',
  '2026-02-29',
  '2025-W53',
  '2026-W00',
  '2026-W5',
  'next-week',
  'lastmonth',
])('parsePeriod returns undefined for the invalid period “%s”', (text) => {
  expect(parsePeriod(text, now, new TimeZone('UTC'))).toBeUndefined()
})

test.each([
  [2026, 1, 1, '2026-W01'],
  [2027, 1, 1, '2026-W53'],
  [2024, 12, 30, '2025-W01'],
  [2026, 10, 5, '2026-W41'],
  [2026, 10, 11, '2026-W41'],
])('the ISO week of %d-%d-%d is %s', (year, month, day, expected) => {
  expect(labelOf('week', dayNumber(year, month, day) ?? Number.NaN)).toBe(expected)
})

test('consecutive days, weeks and months are contiguous and have different labels', () => {
  const day = fc.integer({ min: -10_000, max: 40_000 })
  const property = fc.property(day, fc.constantFrom(...periodUnits), (day, unit) => {
    const [first, end] = daysOf(unit, day)
    expect(first <= day && day < end).toBe(true)
    expect(daysOf(unit, end)[0]).toBe(end)
    expect([labelOf(unit, first), labelOf(unit, end - 1)]).toEqual([labelOf(unit, day), labelOf(unit, day)])
    expect(labelOf(unit, end)).not.toBe(labelOf(unit, day))
  })
  fc.assert(property)
})
