import { isLosslessNumber } from 'lossless-json'
import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { FilterType } from '../filter/compare.ts'
import type { FieldValue } from '../output/views/views.ts'

/** Sort key of a value. Values are ordered by kind first; empty values are always last. */
export interface SortRank {
  kind: 'number' | 'time' | 'text' | 'other' | 'blank'
  /** Numeric value; for a time, milliseconds since 1970. */
  number: number
  integer?: bigint | undefined
  text: string
  isKnown: boolean
}

const kinds = ['number', 'time', 'text', 'other', 'blank'] as const

/** Creates a comparison by Unicode's root collation. The locale `und` would fall back to the system language. */
const collate = () => new Intl.Collator('en').compare

type Compare = (a: SortRank, b: SortRank) => number

/** Creates a comparison that gives the same order on every machine. Empty values are last in both directions. */
export function createCompare(isDescending = false): Compare {
  const compareText = collate()
  const sign = isDescending ? -1 : 1
  return (a, b) => {
    if (a.kind !== b.kind) {
      const order = kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
      return a.kind === 'blank' || b.kind === 'blank' ? order : sign * order
    }
    if (a.kind === 'blank') return 0
    if (a.kind === 'number' || a.kind === 'time') return sign * compareNumbers(a, b)
    // Different texts that collate as equal need a defined order.
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
export function rankValue(given: FieldValue, type: FilterType | undefined): SortRank {
  if (type === 'time' && given.known) return rankOfTime(given.value)
  const field = markUnreadable(given, type)
  if (!field.known || field.value === null) return { ...blank, isKnown: field.known }
  const { value } = field
  const text = toText(value)
  if (typeof value === 'number' || isLosslessNumber(value)) return rankOfNumber(text)
  const truth = typeof value === 'boolean' || type === 'boolean' ? parseBoolean(value) : undefined
  if (typeof truth === 'boolean') return { kind: 'number', number: truth ? 1 : 0, text, isKnown: true }
  if (typeof value !== 'string') return { kind: 'other', number: 0, text, isKnown: true }
  if (type === 'number') return rankOfNumber(text.trim())
  const looksLikeTime = type === undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)
  const time = looksLikeTime ? parseTimestamp(text) : undefined
  return typeof time === 'number'
    ? { kind: 'time', number: time, text, isKnown: true }
    : { kind: 'text', number: 0, text, isKnown: true }
}

const blank = { kind: 'blank', number: 0, integer: undefined, text: '' } as const

function rankOfTime(value: unknown): SortRank {
  const time = parseTimestamp(value)
  if (typeof time !== 'number') return { ...blank, isKnown: time === null }
  return { kind: 'time', number: time, text: '', isKnown: true }
}

function rankOfNumber(text: string): SortRank {
  const number = Number(text)
  const isLarge = Number.isInteger(number) && !Number.isSafeInteger(number)
  const integer = isLarge ? BigInt(/^-?\d+$/.test(text) ? text : number) : undefined
  return { kind: 'number', number, integer, text, isKnown: true }
}
