import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import { readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~'

/** What a field is compared as. */
export type FilterType = 'text' | 'number' | 'boolean' | 'time'

/** Whether the value of a field, null included, matches; undefined when it cannot be read. */
export type Test = (value: unknown) => boolean | undefined

/** The operators as people write them. */
export const operators: Readonly<Record<string, Operator>> = {
  ...{ '=': '=', '==': '=', '!=': '!=', '~': '~', '!~': '!~' },
  ...{ '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
}

export interface Comparison {
  operator: Operator
  type: FilterType
  /** The value to compare with; empty means no value. */
  text: string
  /** The whole condition behind its flag, for errors. */
  condition: string
  /** Milliseconds since 1970, from which `90d` counts back. */
  now: number
}

/**
 * How a condition tests a value. Services may send text for numbers and booleans.
 * @throws {UsageError} for a text that the field cannot be compared with
 */
export async function compare({ operator, type, text, condition, now }: Comparison): Promise<Test> {
  const wrong = (expected: string) => new UsageError(`${condition}: ${expected}`)
  if (text === '') {
    if (operator !== '=' && operator !== '!=') throw wrong('a value is missing')
    const read = type === 'time' ? parseTimestamp : (value: unknown) => (value === '' ? null : value)
    return (value) => {
      const told = read(value)
      return told === undefined ? undefined : (told === null) === (operator === '=')
    }
  }
  if (operator === '~' || operator === '!~') {
    const { parsePattern } = await import('./pattern.ts')
    const pattern = parsePattern(text, condition)
    return (value) => pattern.test(value === null ? '' : textOf(value)) === (operator === '~')
  }
  switch (type) {
    case 'number': {
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrong('expected a number')
      return ordered(operator, Number(text), Number(text), parseNumber)
    }
    case 'boolean':
      if (!/^(true|false)$/.test(text)) throw wrong('expected true or false')
      if (operator !== '=' && operator !== '!=') throw wrong('true and false cannot be ordered')
      return (value) => {
        const told = parseBoolean(value)
        return told === undefined ? undefined : (String(told) === text) === (operator === '=')
      }
    case 'time': {
      const range = toMoment(text, now)
      if (!range)
        throw wrong(
          'expected a date as in 2026-01-31, a time as in 2026-01-31T12:00Z, or how long ago as in 90d, 12h',
        )
      return ordered(operator, ...range, parseTimestamp)
    }
    default:
      return ordered(operator, text, text, (value) => (value === null ? null : textOf(value)))
  }
}

/**
 * Compares with a range that counts as one value, as a day does. Null is smaller and larger than nothing, and different
 * from everything.
 */
function ordered<T extends number | string>(
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
    const told = read(value)
    if (told === undefined) return undefined
    return told === null ? operator === '!=' : test(told)
  }
}

/** First and last millisecond of a day or a moment, or of the moment so long ago; undefined for anything else. */
function toMoment(text: string, now: number): [number, number] | undefined {
  const ago = readDuration(text)
  if (ago !== undefined) return [now - ago, now - ago]
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text)) return undefined
  const isWholeDay = text.length === 10
  const hasZone = isWholeDay || /(Z|[+-]\d\d:\d\d)$/.test(text)
  const start = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`)
  // Date.parse takes the 30th of February for the 2nd of March.
  const day = text.slice(0, 10)
  if (Number.isNaN(start) || new Date(`${day}T00:00Z`).toISOString().slice(0, 10) !== day) return undefined
  return [start, isWholeDay ? start + 86_400_000 - 1 : start]
}
