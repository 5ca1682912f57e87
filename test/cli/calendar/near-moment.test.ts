import { expect, test } from 'vitest'
import { parseMoment } from '../../../src/cli/calendar/moment.ts'
import { toMomentError, toPeriodError } from '../../../src/cli/calendar/near-moment.ts'
import { TimeZone } from '../../../src/cli/calendar/time-zone.ts'
import { parseDuration } from '../../../src/duration.ts'
import type { UsageError } from '../../../src/errors.ts'

const zone = new TimeZone('UTC')
/** A Thursday. */
const now = Date.UTC(2026, 10, 26, 12)

test.each([
  ['1.9.2026', '2026-09-01'],
  ['1.9.26', '2026-09-01'],
  ['2026/09/01', '2026-09-01'],
  ['2026-9-1', '2026-09-01'],
  ['20260901', '2026-09-01'],
  ['13/4/2026', '2026-04-13'],
  ['4/13/2026', '2026-04-13'],
  ['3/3/2026', '2026-03-03'],
  ['1 Sep 2026', '2026-09-01'],
  ['Sept. 1st, 2026', '2026-09-01'],
  ['1. September 2026', '2026-09-01'],
  ['1.9.2026 8:05', '2026-09-01 08:05'],
  ['2026-9-1T08:00+0100', '2026-09-01 08:00+01:00'],
  ['today 8:00', 'today 08:00'],
  ['today at 9pm', 'today 21:00'],
  ['yesterdy', 'yesterday'],
  ['tomorrow', '2026-11-27'],
  ['monday', '2026-11-23'],
  ['last Thursday', '2026-11-19'],
  ['9:05', '09:05'],
  ['10:5', '10:05'],
  ['12am', '00:00'],
  ['45min', '45m'],
  ['2 hours', '2h'],
  ['3 days ago', '3d'],
  ['1 hour and 30 minutes', '1h30m'],
  ['PT45M', '45m'],
  ['1,5h', '1h30m'],
  ['1767225600', '2026-01-01T00:00:00Z'],
])('the error for the invalid time %j suggests %s', (text, meant) => {
  expect(toMomentError('x', text, now, zone).correction).toEqual([text, meant])
  expect(parseMoment(meant, now, zone)).toBeDefined()
})

test('the error for the ambiguous date 3/4/2026 suggests both dates', () => {
  const { correction, hint } = toMomentError('x', '3/4/2026', now, zone)
  expect(correction).toBeUndefined()
  expect(hint).toContain('2026-04-03 or 2026-03-04')
})

test.each([
  'soon',
  '3 months',
  '1:2:3',
  '99.99.2026',
  'decade 3 2026',
  '32/1/2026',
  '25:5',
  '1 foo',
  'last week',
])('the error for the invalid time %j has no correction or hint', (text) => {
  const { correction, hint } = toMomentError('x', text, now, zone)
  expect({ correction, hint }).toEqual({ correction: undefined, hint: undefined })
})

test.each([
  ['last month', 'last-month'],
  ['lastweek', 'last-week'],
  ['10/2026', '2026-10'],
  ['2026-1', '2026-01'],
  ['2026-10-01', '2026-10'],
  ['2026-W5', '2026-W05'],
  ['2026 KW 45', '2026-W45'],
  ['October', '2026-10'],
  ['dec', '2025-12'],
  ['Dec 2026', '2026-12'],
])('the error for the invalid period %j suggests %s', (text, meant) => {
  expect(toPeriodError('x', text, [now, zone]).correction).toEqual([text, meant])
})

test.each([
  ['45 min', '45m'],
  ['1.5 hours', '1h30m'],
  ['90secs', '90s'],
])('the error for the invalid duration %j suggests %s', (text, meant) => {
  let error: UsageError | undefined
  try {
    parseDuration(text, {})
  } catch (cause) {
    error = cause as UsageError
  }
  expect(error?.correction).toEqual([text, meant])
})
