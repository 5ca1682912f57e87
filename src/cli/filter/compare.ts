import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import { parseMoment } from '../calendar/moment.ts'
import type { TimeZone } from '../calendar/time-zone.ts'

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~'

export type FilterType = 'text' | 'number' | 'boolean' | 'time'

/** Accepts null, and returns undefined for a malformed value. */
export type Test = (value: unknown) => boolean | undefined

export const operators: Readonly<Record<string, Operator>> = {
  ...{ '=': '=', '==': '=', '!=': '!=', '~': '~', '!~': '!~' },
  ...{ '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
}

export interface WhereClock {
  /** Current time in milliseconds since 1970. Durations such as `90d` count back from this time. */
  now: number
  /** Zone of dates, and of times without an offset. */
  zone: TimeZone
}

export interface Comparison extends WhereClock {
  operator: Operator
  type: FilterType
  /** An empty text means null or an empty value. */
  text: string
  condition: string
}

/** @throws {UsageError} if the text or the operator is invalid for the field's type */
export async function compare({ operator, type, text, condition, now, zone }: Comparison): Promise<Test> {
  const wrong = (problem: string) => new UsageError(`${condition}: ${problem}`)
  if (text === '') {
    if (operator !== '=' && operator !== '!=') throw wrong('the value is missing')
    const read = type === 'time' ? parseTimestamp : (value: unknown) => (value === '' ? null : value)
    return (value) => {
      const parsed = read(value)
      return parsed === undefined ? undefined : (parsed === null) === (operator === '=')
    }
  }
  if (operator === '~' || operator === '!~') {
    const { parsePattern } = await import('./pattern.ts')
    const pattern = parsePattern(text, condition)
    return (value) => pattern.test(value === null ? '' : toText(value)) === (operator === '~')
  }
  switch (type) {
    case 'number': {
      if (!/^-?\d+(\.\d+)?$/.test(text)) {
        const [, number] = /^(-?\d+(?:\.\d+)?)\s+\p{L}+$/u.exec(text) ?? []
        throw new UsageError(
          `${condition}: the value must be a number, not “${text}”`,
          number === undefined ? {} : { correction: [text, number] },
        )
      }
      return compareRange(operator, Number(text), Number(text), parseNumber)
    }
    case 'boolean':
      if (!/^(true|false)$/.test(text)) {
        const meant = /^(true|yes|on|1)$/i.test(text)
          ? 'true'
          : /^(false|no|off|0)$/i.test(text)
            ? 'false'
            : undefined
        throw new UsageError(
          `${condition}: the value must be true or false, not “${text}”`,
          meant === undefined ? {} : { correction: [text, meant] },
        )
      }
      if (operator !== '=' && operator !== '!=')
        throw wrong('true and false can be compared only with = and !=')
      return (value) => {
        const parsed = parseBoolean(value)
        return parsed === undefined ? undefined : (String(parsed) === text) === (operator === '=')
      }
    case 'time': {
      const range = parseTimeRange(text, now, zone)
      if (!range) {
        const { toMomentError } = await import('../calendar/near-moment.ts')
        const required =
          'the value must be a date such as 2026-01-31, a time such as 2026-01-31T12:00Z, or an age such as 90d'
        throw toMomentError(`${condition}: ${required}`, text, now, zone)
      }
      return compareRange(operator, ...range, parseTimestamp)
    }
    default:
      return compareRange(operator, text, text, (value) => (value === null ? null : toText(value)))
  }
}

/** Creates a test that compares with an inclusive range, such as a day. Null matches only `!=`. */
function compareRange<T extends number | string>(
  operator: '=' | '!=' | '<' | '<=' | '>' | '>=',
  from: T,
  to: T,
  read: (value: unknown) => T | null | undefined,
): Test {
  const tests: Record<typeof operator, (value: T) => boolean> = {
    '=': (value) => value >= from && value <= to,
    '!=': (value) => !(value >= from && value <= to),
    '<': (value) => value < from,
    '<=': (value) => value <= to,
    '>': (value) => value > to,
    '>=': (value) => value >= from,
  }
  const test = tests[operator]
  return (value) => {
    const parsed = read(value)
    if (parsed === undefined) return undefined
    return parsed === null ? operator === '!=' : test(parsed)
  }
}

function parseTimeRange(text: string, now: number, zone: TimeZone): [number, number] | undefined {
  const moment = parseMoment(text, now, zone)
  return moment && [moment.start, moment.end === undefined ? moment.start : moment.end - 1]
}
