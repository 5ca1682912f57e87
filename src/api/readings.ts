import { toText } from './to-text.ts'

/** Exported parsers return null for “none”, and undefined for a missing or unreadable value. */

/**
 * Earliest valid time, in Unix milliseconds. Earlier times, such as zero values of databases, mean “none”.
 */
const earliestMs = 86_400_000

const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i
/** Pattern of RFC 5322 times with a zone. Without a zone, Date.parse assumes local time. */
const mailTime = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/i

/** Parses an ISO 8601 time (UTC by default), an RFC 5322 time or a Unix time to Unix milliseconds. */
export function parseTimestamp(value: unknown): number | null | undefined {
  if (value === null || value === '' || value === false) return null
  if (value === undefined || value === true) return undefined
  const text = typeof value === 'string' ? value.trim() : toText(value)
  const ms = /^-?\d+(\.\d+)?$/.test(text) ? parseEpoch(Number(text)) : parseDate(text)
  return ms !== undefined && ms < earliestMs ? null : ms
}

/**
 * Converts Unix seconds (2001 to 2286) or milliseconds (1973 to 5138) to milliseconds. Numbers below 86,400
 * mean “none”.
 */
function parseEpoch(number: number): number | undefined {
  if (number < 86_400) return number
  if (number >= 1e9 && number < 1e10) return Math.round(number * 1000)
  return number >= 1e11 && number < 1e14 ? Math.round(number) : undefined
}

function parseDate(text: string): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = isoTime.exec(text) ?? []
  if (day === undefined) return mailTime.test(text) ? toValidTime(Date.parse(text)) : undefined
  // Zero value of MySQL.
  if (day === '0000-00-00') return 0
  // Date.parse reads 30 February as a day in March.
  if (Number(day.slice(8)) > 28 && !isDay(day)) return undefined
  return toValidTime(Date.parse(`${day}T${time.replace(',', '.')}${normalizeZone(zone)}`))
}

function isDay(day: string): boolean {
  const midnight = toValidTime(Date.parse(`${day}T00:00Z`))
  return midnight !== undefined && new Date(midnight).toISOString().startsWith(day)
}

/** Normalizes a zone for Date.parse: `+09` and `+0900` become `+09:00`. */
function normalizeZone(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z'
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
}

const toValidTime = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)

/** Returns null for an end before the beginning. */
export function parseEnd(begin: unknown, end: unknown): number | null | undefined {
  const endMs = parseTimestamp(end)
  const beginMs = parseTimestamp(begin)
  return typeof endMs === 'number' && typeof beginMs === 'number' && endMs < beginMs ? null : endMs
}

export function parseBoolean(value: unknown): boolean | null | undefined {
  if (typeof value === 'boolean') return value
  if (value === null || value === '') return null
  if (value === undefined) return undefined
  const text = toText(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

export function parseNumber(value: unknown): number | null | undefined {
  if (typeof value === 'number') return value
  if (value === null || value === '') return null
  if (value === undefined || typeof value === 'boolean') return undefined
  const text = toText(value).trim()
  return /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
}
