import { isLosslessNumber } from 'lossless-json'
import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import type { FilterType } from '../filter/compare.ts'
import type { FieldValue } from '../output/views/views.ts'

/** A value's sort key, ordered by kind first. Blank values are always last. */
export interface SortRank {
  kind: 'number' | 'time' | 'text' | 'other' | 'blank'
  /** The number, or milliseconds since 1970. */
  number: number
  integer?: bigint | undefined
  text: string
}

const kinds = ['number', 'time', 'text', 'other', 'blank'] as const

/** Sorts as Unicode's root collation does. The locale `und` would fall back to the system language. */
const collate = () => new Intl.Collator('en').compare

/** Compares two sort keys; negative when the first sorts first. */
export type Compare = (a: SortRank, b: SortRank) => number

/** Creates a comparison that gives the same order on every machine. Blank values are last in both directions. */
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
    // Text that collates as equal still needs a stable order.
    return sign * (compareText(a.text, b.text) || compareValues(a.text, b.text))
  }
}

function compareNumbers(a: SortRank, b: SortRank): number {
  if (a.number !== b.number || a.integer === undefined || b.integer === undefined)
    return compareValues(a.number, b.number)
  return compareValues(a.integer, b.integer)
}

function compareValues<T extends number | bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Marks a value as unreadable when it cannot be parsed as the field's type. */
export function markUnreadable(value: FieldValue, type: FilterType | undefined): FieldValue {
  const read = type && readers[type]
  return value.known && read && read(value.value) === undefined ? { known: false, isUnreadable: true } : value
}

const readers: Partial<Record<FilterType, (value: unknown) => unknown>> = {
  time: parseTimestamp,
  boolean: parseBoolean,
  number: parseNumber,
}

/** Creates the sort key of a value. Numbers and booleans may arrive as text. */
export function rankOf(given: FieldValue, type: FilterType | undefined): SortRank {
  const field = markUnreadable(given, type)
  const value = field.known ? field.value : null
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

function rankOfNumber(text: string): SortRank {
  const number = Number(text)
  const isLarge = Number.isInteger(number) && !Number.isSafeInteger(number)
  const integer = isLarge ? BigInt(/^-?\d+$/.test(text) ? text : number) : undefined
  return { kind: 'number', number, integer, text }
}
