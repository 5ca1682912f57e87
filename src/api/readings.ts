import { textOf } from './text-of.ts'

/*
 * Services differ in how they write times, booleans and numbers. Each of these functions gives null where a value says
 * “none”, and undefined where it is missing or cannot be read: what cannot be read is treated as missing.
 */

/** Times before the second day of 1970 mean “none”: databases and languages have such zero values. */
const earliest = 86_400_000

const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i
/** As in `Sat, 31 Jan 2026 12:00:00 GMT`: without a zone it would be read in the zone of this machine. */
const mailTime = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/i

/**
 * Reads a time that a service sends: ISO 8601 (without a zone it is UTC), an RFC 5322 date, or the time since 1970 in
 * seconds or milliseconds where the magnitude tells which.
 * @returns milliseconds since 1970
 */
export function parseTimestamp(value: unknown): number | null | undefined {
  if (value === null || value === '' || value === false) return null
  if (value === undefined || value === true) return undefined
  const text = typeof value === 'string' ? value.trim() : textOf(value)
  const ms = /^-?\d+(\.\d+)?$/.test(text) ? parseEpoch(Number(text)) : parseDate(text)
  return ms !== undefined && ms < earliest ? null : ms
}

/** Seconds between 2001 and 2286, or milliseconds between 1973 and 5138; nothing between them is unambiguous. */
function parseEpoch(number: number): number | undefined {
  // Before 1970-01-02 in either unit.
  if (number < 86_400) return number
  if (number >= 1e9 && number < 1e10) return Math.round(number * 1000)
  return number >= 1e11 && number < 1e14 ? Math.round(number) : undefined
}

function parseDate(text: string): number | undefined {
  // The usual form, read in a third of the time.
  if (text.length === 24 && /^\d{4}-\d\d-[012]\d/.test(text) && text[10] === 'T' && text[23] === 'Z') {
    const ms = Date.parse(text)
    if (text.slice(8, 10) <= '28' && !Number.isNaN(ms)) return ms
  }
  const [, day, time = '00:00', zone = 'Z'] = isoTime.exec(text) ?? []
  if (day === undefined) return mailTime.test(text) ? readable(Date.parse(text)) : undefined
  // Date.parse takes the 30th of February for the 2nd of March.
  if (Number(day.slice(8)) > 28 && !isDay(day)) return undefined
  return readable(Date.parse(`${day}T${time.replace(',', '.')}${zoneOf(zone)}`))
}

function isDay(day: string): boolean {
  const midnight = readable(Date.parse(`${day}T00:00Z`))
  return midnight !== undefined && new Date(midnight).toISOString().startsWith(day)
}

/** A zone as Date.parse reads it: `+09` and `+0900` become `+09:00`. */
function zoneOf(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z'
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
}

function readable(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * Reads the end of a span of time, as of a session. An end before its beginning is none.
 * @returns milliseconds since 1970
 */
export function parseEnd(begin: unknown, end: unknown): number | null | undefined {
  const ended = parseTimestamp(end)
  const began = parseTimestamp(begin)
  return typeof ended === 'number' && typeof began === 'number' && ended < began ? null : ended
}

/** Reads a boolean: `true`, `"True"`, `1` and `"1"` are alike. */
export function parseBoolean(value: unknown): boolean | null | undefined {
  if (typeof value === 'boolean') return value
  if (value === null || value === '') return null
  if (value === undefined) return undefined
  const text = textOf(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** Reads a number, which may be text. */
export function parseNumber(value: unknown): number | null | undefined {
  if (typeof value === 'number') return value
  if (value === null || value === '') return null
  if (value === undefined || typeof value === 'boolean') return undefined
  const text = textOf(value).trim()
  return /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
}
