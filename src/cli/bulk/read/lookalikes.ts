import { trimWhiteSpace } from '../../input/white-space.ts'
import { isEmail, isIdentity } from './identity.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

const mostValues = 200_000

interface Seen {
  value: string
  place: string
}

/** Finds values that look like a value of an earlier row but differ from it. */
export class Lookalikes {
  readonly #targetOf: (column: string) => string
  readonly #seen = new Map<string, Seen>()
  readonly #reported = new Set<string>()

  /** @param targetOf returns the field of a column */
  constructor(targetOf: (column: string) => string) {
    this.#targetOf = targetOf
  }

  /** Compares the values of a row with earlier ones, and describes each difference. */
  *of(row: Row): Generator<string> {
    for (const [column, value] of Object.entries(row.fields ?? {})) {
      const field = this.#targetOf(column)
      if (typeof value !== 'string' || value === '' || !isIdentity(field)) continue
      const key = `${field}\0${comparable(field, value)}`
      const before = this.#seen.get(key)
      if (!before) {
        if (this.#seen.size < mostValues) this.#seen.set(key, { value, place: rowPlace(row) })
      } else if (before.value !== value && !this.#reported.has(`${field}\0${value}`)) {
        this.#reported.add(`${field}\0${value}`)
        yield `${field} “${value}” differs from that of ${before.place} only by ${difference(before.value, value)}`
      }
    }
  }
}

/** Normalizes a value for comparison. NFKC also covers wide characters and unusual spaces. */
function comparable(field: string, value: string): string {
  const text = withoutSpaces(value.normalize('NFKC'))
  return isAddress(field, value) ? text.toLowerCase() : text
}

const isAddress = (field: string, value: string) => isEmail(field) || value.includes('@')

function withoutSpaces(text: string): string {
  return trimWhiteSpace(text).replaceAll(/[\s\u200b\u2060\ufeff]+/g, ' ')
}

function difference(one: string, other: string): string {
  if (withoutSpaces(one) === withoutSpaces(other)) return 'white space'
  const [a = '', b = ''] = [one, other].map((value) => withoutSpaces(value.normalize('NFKC')))
  if (a === b) return 'Unicode normalisation'
  return 'upper and lower case'
}
