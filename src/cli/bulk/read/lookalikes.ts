import { trimWhiteSpace } from '../../input/white-space.ts'
import { isEmailField, isIdentifyingField } from './identity.ts'
import { formatRowPlace } from './place.ts'
import type { Row } from './rows.ts'

const maxValues = 200_000

interface EarlierValue {
  value: string
  place: string
}

/** Finder of values that look like a value of an earlier row but differ from it. */
export class Lookalikes {
  readonly #fieldOf: (column: string) => string
  readonly #values = new Map<string, EarlierValue>()
  readonly #reported = new Set<string>()

  constructor(fieldOf: (column: string) => string) {
    this.#fieldOf = fieldOf
  }

  *findIn(row: Row): Generator<string> {
    for (const [column, value] of Object.entries(row.fields ?? {})) {
      const field = this.#fieldOf(column)
      if (typeof value !== 'string' || value === '' || !isIdentifyingField(field)) continue
      const key = `${field}\0${normalizeForComparison(field, value)}`
      const earlier = this.#values.get(key)
      if (!earlier) {
        if (this.#values.size < maxValues) this.#values.set(key, { value, place: formatRowPlace(row) })
      } else if (earlier.value !== value && !this.#reported.has(`${field}\0${value}`)) {
        this.#reported.add(`${field}\0${value}`)
        yield `${field} “${value}” differs from that of ${earlier.place} only by ${describeDifference(earlier.value, value)}`
      }
    }
  }
}

/** Normalizes a value for comparison. NFKC also replaces full-width characters and special spaces. */
function normalizeForComparison(field: string, value: string): string {
  const text = collapseSpaces(value.normalize('NFKC'))
  return isEmailValue(field, value) ? text.toLowerCase() : text
}

const isEmailValue = (field: string, value: string) => isEmailField(field) || value.includes('@')

function collapseSpaces(text: string): string {
  return trimWhiteSpace(text).replaceAll(/[\s\u200b\u2060\ufeff]+/g, ' ')
}

function describeDifference(one: string, other: string): string {
  if (collapseSpaces(one) === collapseSpaces(other)) return 'white space'
  const [a = '', b = ''] = [one, other].map((value) => collapseSpaces(value.normalize('NFKC')))
  if (a === b) return 'Unicode normalisation'
  return 'upper and lower case'
}
