import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseMoment } from '../../../src/cli/calendar/moment.ts'
import { TimeZone } from '../../../src/cli/calendar/time-zone.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const iso = (ms = Number.NaN) => new Date(ms).toISOString()
const read = (text: string, zone?: string) => iso(parseMoment(text, now, new TimeZone(zone))?.start)

describe.each([
  ['UTC', 0],
  ['Asia/Kolkata', 5.5],
  ['Europe/Zurich', 1],
])('parseMoment in the zone %s', (zone, ahead) => {
  beforeEach(() => vi.stubEnv('TZ', zone))
  afterEach(() => vi.unstubAllEnvs())
  const local = (text: string) => new Date(Date.parse(`${text}Z`) - ahead * 3_600_000).toISOString()

  test.each([
    ['2026-01-01', '2026-01-01T00:00'],
    ['today', '2026-01-02T00:00'],
    ['Yesterday', '2026-01-01T00:00'],
    ['yesterday 08:00', '2026-01-01T08:00'],
    ['today 08:15:30', '2026-01-02T08:15:30'],
    ['08:15', '2026-01-02T08:15'],
    ['2026-01-01 08:00', '2026-01-01T08:00'],
    ['2026-01-01T08:00:01.5', '2026-01-01T08:00:01.500'],
    ['2024-02-29', '2024-02-29T00:00'],
  ])(`parseMoment parses %s as a local time in ${zone}`, (text, expected) => {
    expect([read(text), read(text, zone)]).toEqual([local(expected), local(expected)])
  })

  test.each([
    ['2026-01-01T08:00Z', '2026-01-01T08:00:00.000Z'],
    ['2026-01-01T08:00:00.123456Z', '2026-01-01T08:00:00.123Z'],
    ['2026-01-01 08:00+02:00', '2026-01-01T06:00:00.000Z'],
    ['2026-01-01T08:00-05:30', '2026-01-01T13:30:00.000Z'],
    ['now', '2026-01-02T03:04:05.678Z'],
    ['2h', '2026-01-02T01:04:05.678Z'],
    ['7d', '2025-12-26T03:04:05.678Z'],
    ['90m', '2026-01-02T01:34:05.678Z'],
  ])(`parseMoment parses %s as an absolute time in the zone ${zone}`, (text, expected) => {
    expect([read(text), read(text, zone)]).toEqual([expected, expected])
  })
})

test('parseMoment starts days at local midnight around a clock change', () => {
  const zone = new TimeZone('Europe/Zurich')
  const sunday = Date.parse('2026-03-29T12:00Z')
  const at = (text: string) => iso(parseMoment(text, sunday, zone)?.start)
  expect([
    at('yesterday'),
    at('today'),
    at('today 12:00'),
    iso(parseMoment('today', sunday, zone)?.end),
  ]).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T10:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ])
})

test.each([
  ...['', 'yesteday', 'tomorrow', '2026-02-30', '2026-13-01', '2026-00-10', '2026-01-00', '2026-1-1'],
  ...['2026-01-01T24:00', '2026-01-01 08:60', '8:00', '2026-01-01T08', '7', '7 d', '-7d', '1e3d', '20260101'],
])('parseMoment returns undefined for the invalid time “%s”', (text) => {
  expect(parseMoment(text, now, new TimeZone('UTC'))).toBeUndefined()
})
