import { isLosslessNumber } from 'lossless-json'
import { parseBoolean, parseNumber, parseTimestamp } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { FilterType } from '../filter/compare.ts'
import type { FieldValue } from '../output/views/views.ts'

/** Kinds of values in sort order. `blank` values, such as null, are last in both directions. */
const kinds = { number: 0, time: 1, text: 2, other: 3, blank: 4 } as const

/** Compared value: milliseconds since 1970 for a time, 0 for a `blank` value. */
type RankValue = number | bigint | string

/** Rank of a value in the sort order. Values are ordered by kind first. */
export interface SortRank {
  kind: number
  value: RankValue
  isKnown: boolean
}

/** Creates a comparison by Unicode's root collation. The locale `und` would select the system language. */
const collate = () => new Intl.Collator('en').compare

/** Creates a comparison that gives the same order on every machine. */
export function createCompare(isDescending = false): (a: SortRank, b: SortRank) => number {
  const compareText = collate()
  const sign = isDescending ? -1 : 1
  return ({ kind: kindA, value: a }, { kind: kindB, value: b }) => {
    if (kindA !== kindB)
      return kindA === kinds.blank || kindB === kinds.blank ? kindA - kindB : sign * (kindA - kindB)
    // Different texts that collate as equal need a defined order.
    if (typeof a === 'string' && typeof b === 'string')
      return a === b ? 0 : sign * (compareText(a, b) || compareValues(a, b))
    return sign * compareValues(a, b)
  }
}

const compareValues = (a: RankValue, b: RankValue): number => (a < b ? -1 : a > b ? 1 : 0)

function markUnreadable(value: FieldValue, type: FilterType | undefined): FieldValue {
  const read = type && readers[type]
  return value.known && read && read(value.value) === undefined ? { known: false, isUnreadable: true } : value
}

const readers: Partial<Record<FilterType, (value: unknown) => unknown>> = {
  time: parseTimestamp,
  boolean: parseBoolean,
  number: parseNumber,
}

/** Creates the rank of a value. Numbers and booleans may arrive as text. */
export function rankValue(given: FieldValue, type: FilterType | undefined): SortRank {
  if (type === 'time' && given.known) return rankOfTime(given.value)
  const field = markUnreadable(given, type)
  if (!field.known || field.value === null) return rankOfBlank(field.known)
  const { value } = field
  const text = toText(value)
  if (typeof value === 'number' || isLosslessNumber(value)) return rankOfNumber(text)
  const truth = typeof value === 'boolean' || type === 'boolean' ? parseBoolean(value) : undefined
  if (typeof truth === 'boolean') return { kind: kinds.number, value: truth ? 1 : 0, isKnown: true }
  if (typeof value !== 'string') return { kind: kinds.other, value: text, isKnown: true }
  if (type === 'number') return rankOfNumber(text.trim())
  const looksLikeTime = type === undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)
  const time = looksLikeTime ? parseTimestamp(text) : undefined
  return typeof time === 'number'
    ? { kind: kinds.time, value: time, isKnown: true }
    : { kind: kinds.text, value: text, isKnown: true }
}

const rankOfBlank = (isKnown: boolean): SortRank => ({ kind: kinds.blank, value: 0, isKnown })

function rankOfTime(value: unknown): SortRank {
  const time = parseTimestamp(value)
  return typeof time === 'number'
    ? { kind: kinds.time, value: time, isKnown: true }
    : rankOfBlank(time === null)
}

function rankOfNumber(text: string): SortRank {
  const number = Number(text)
  const isLarge = Number.isInteger(number) && !Number.isSafeInteger(number)
  const value = isLarge ? BigInt(/^-?\d+$/.test(text) ? text : number) : number
  return { kind: kinds.number, value, isKnown: true }
}
