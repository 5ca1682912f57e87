import { isLosslessNumber } from 'lossless-json'
import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import type { FilterType } from '../filter/compare.ts'
import type { FieldValue } from '../output/views/views.ts'

/** Where a value stands among others: by its kind first. Blank is always last. */
export interface Rank {
  kind: 'number' | 'time' | 'text' | 'other' | 'blank'
  /** A number, or milliseconds since 1970. */
  number: number
  /** All digits of an integer that a double cannot hold. */
  integer?: bigint | undefined
  text: string
}

const kinds = ['number', 'time', 'text', 'other', 'blank'] as const

/** English orders letters as Unicode’s root collation does. `und` would fall back to the language of the machine. */
const collate = () => new Intl.Collator('en').compare

/** Compares two values: below 0 when the first one comes first. */
export type Compare = (a: Rank, b: Rank) => number

/**
 * Compares numbers as numbers, times as times and text by Unicode’s collation, the same on every machine. What is null or
 * missing comes last, descending too.
 */
export function orderValues(isDescending = false): Compare {
  const compareText = collate()
  const sign = isDescending ? -1 : 1
  return (a, b) => {
    if (a.kind !== b.kind) {
      const order = kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
      return a.kind === 'blank' || b.kind === 'blank' ? order : sign * order
    }
    if (a.kind === 'blank') return 0
    if (a.kind === 'number' || a.kind === 'time') return sign * compareNumbers(a, b)
    // Letters that collate as equal are different nevertheless, and their order must not depend on chance.
    return sign * (compareText(a.text, b.text) || before(a.text, b.text))
  }
}

function compareNumbers(a: Rank, b: Rank): number {
  if (a.number !== b.number || a.integer === undefined || b.integer === undefined)
    return before(a.number, b.number)
  return before(a.integer, b.integer)
}

function before<T extends number | bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What an item says of a field, where that can be read as the type of the field: nothing else is compared. */
export function readableAs(told: FieldValue, type: FilterType | undefined): FieldValue {
  const read = type && readers[type]
  return told.known && read && read(told.value) === undefined ? { known: false, isUnreadable: true } : told
}

const readers: Partial<Record<FilterType, (value: unknown) => unknown>> = {
  time: parseTimestamp,
  boolean: parseBoolean,
  number: parseNumber,
}

/** A value as it is compared; services may send text for numbers and booleans. */
export function rankOf(given: FieldValue, type: FilterType | undefined): Rank {
  const told = readableAs(given, type)
  const value = told.known ? told.value : null
  if (type === 'time') {
    const time = parseTimestamp(value)
    const isTime = typeof time === 'number'
    return { kind: isTime ? 'time' : 'blank', number: isTime ? time : 0, text: isTime ? textOf(value) : '' }
  }
  if (value === null) return { kind: 'blank', number: 0, text: '' }
  const text = textOf(value)
  if (typeof value === 'number' || isLosslessNumber(value)) return rankOfNumber(text)
  const truth = typeof value === 'boolean' || type === 'boolean' ? parseBoolean(value) : undefined
  if (typeof truth === 'boolean') return { kind: 'number', number: truth ? 1 : 0, text }
  if (typeof value !== 'string') return { kind: 'other', number: 0, text }
  if (type === 'number') return rankOfNumber(text.trim())
  const looksLikeTime = type === undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)
  const time = looksLikeTime ? parseTimestamp(text) : undefined
  return typeof time === 'number' ? { kind: 'time', number: time, text } : { kind: 'text', number: 0, text }
}

function rankOfNumber(text: string): Rank {
  const number = Number(text)
  const isLarge = Number.isInteger(number) && !Number.isSafeInteger(number)
  const integer = isLarge ? BigInt(/^-?\d+$/.test(text) ? text : number) : undefined
  return { kind: 'number', number, integer, text }
}
