import { trimWhiteSpace } from '../../input/white-space.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import { splitFields } from './check.ts'
import { isEmailField, isIdentifyingField } from './identity.ts'
import { formatRowPlace } from './place.ts'
import type { Row } from './rows.ts'
import { describeListCell, isListCell } from './split-rows.ts'

const maxValues = 200_000

interface EarlierValue {
  value: string
  place: string
}

/**
 * Detector of probable mistakes in identifying values: similarity to an earlier value, a list of rooms in one
 * cell, and an email without @.
 */
export class Lookalikes {
  readonly #fieldOf: (column: string) => string
  readonly #values = new Map<string, EarlierValue>()
  readonly #reported = new Set<string>()
  readonly #roomField: string | undefined

  constructor(fieldOf: (column: string) => string, kind: ImportAdapter['name']) {
    this.#fieldOf = fieldOf
    this.#roomField = splitFields[kind]
  }

  *findIn(row: Row): Generator<string> {
    for (const [column, given] of Object.entries(row.fields ?? {})) {
      const field = this.#fieldOf(column)
      if (typeof given !== 'string' || !isIdentifyingField(field)) continue
      // Surrounding white space is removed before the row is sent.
      const value = trimWhiteSpace(given)
      if (value === '') continue
      if (isEmailField(field) && !value.includes('@')) yield `${field} “${value}” has no @`
      const isRoom = field === this.#roomField
      if (isRoom && isListCell(value) && !this.#reported.has(value)) {
        this.#reported.add(value)
        yield describeListCell(value)
      }
      const key = `${field}\0${normalizeForComparison(field, value, isRoom && field === 'name')}`
      const earlier = this.#values.get(key)
      if (!earlier) {
        if (this.#values.size < maxValues) this.#values.set(key, { value, place: formatRowPlace(row) })
      } else if (earlier.value !== value && !this.#reported.has(`${field}\0${value}`)) {
        this.#reported.add(`${field}\0${value}`)
        yield `${field} “${value}” differs from the value in ${earlier.place} only by ${describeDifference(earlier.value, value)}`
      }
    }
  }
}

function normalizeForComparison(field: string, value: string, ignoresCase: boolean): string {
  // NFKC also replaces full-width characters and special spaces.
  const text = collapseSpaces(value.normalize('NFKC'))
  return ignoresCase || isEmailValue(field, value) ? text.toLowerCase() : text
}

const isEmailValue = (field: string, value: string) => isEmailField(field) || value.includes('@')

function collapseSpaces(text: string): string {
  return trimWhiteSpace(text).replaceAll(/[\s\u200b\u2060\ufeff]+/g, ' ')
}

function describeDifference(one: string, other: string): string {
  if (collapseSpaces(one) === collapseSpaces(other)) return 'white space'
  const [a = '', b = ''] = [one, other].map((value) => collapseSpaces(value.normalize('NFKC')))
  if (a === b) return 'Unicode normalization'
  return 'letter case'
}
