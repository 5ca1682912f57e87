import { andMore } from '../../../api/plural.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import {
  describeUnlikelyEmail,
  describeUnlikelyId,
  findDamage,
  isEmailField,
} from '../../input/unlikely-id.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import { withoutLeadingZeros } from '../../matching/match.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import { splitFields } from './check.ts'
import { idFields, isIdentifyingField } from './identity.ts'
import { formatRowPlace, maxReported } from './place.ts'
import { toId } from './reader.ts'
import type { Row } from './rows.ts'
import { describeListCell } from './split-rows.ts'

/** Maximum number of different values of a field that are compared, which limits memory. */
const maxValues = 50_000

interface EarlierValue extends Pick<Row, 'line' | 'number'> {
  value: string
}

/** Detector of probable mistakes in rows, such as values similar to an earlier value. */
export class Lookalikes {
  readonly #fieldOf: (column: string) => string
  /** Values by field, and by text that similar values share. */
  readonly #values = new Map<string, Map<string, EarlierValue>>()
  readonly #reported = new Set<string>()
  #count = 0
  /** Field that identifies the room of a row; undefined for users. */
  readonly #roomField: string | undefined

  constructor(fieldOf: (column: string) => string, kind: ImportAdapter['name']) {
    this.#fieldOf = fieldOf
    this.#roomField = splitFields[kind]
  }

  /** Yields the probable mistakes of a row, until `maxReported` mistakes are found in all rows. */
  *findIn(row: Row): Generator<string> {
    for (const mistake of this.#find(row)) if (this.#count++ < maxReported) yield mistake
  }

  /** Describes the mistakes that `findIn` did not yield; empty if there are none. */
  listRest(): readonly string[] {
    return this.#count > maxReported ? [`${andMore(this.#count - maxReported)} such warnings`] : []
  }

  /** Returns the values of a field, up to `maxValues`, without values similar to an earlier value. */
  listValues(field: string): readonly string[] {
    return Array.from(this.#values.get(field)?.values() ?? [], ({ value }) => value)
  }

  *#find(row: Row): Generator<string> {
    for (const [column, cell] of Object.entries(row.fields ?? {})) {
      const field = this.#fieldOf(column)
      const given = toId(field, cell)
      if (typeof given !== 'string' || !isIdentifyingField(field)) continue
      // Surrounding white space is removed before the row is sent.
      const value = trimWhiteSpace(given)
      if (value === '' || value === deprecated) continue
      const unlikelyEmail = describeUnlikelyEmail(field, value)
      if (unlikelyEmail !== undefined) yield unlikelyEmail
      const isRoom = field === this.#roomField
      const values = this.#values.get(field) ?? new Map<string, EarlierValue>()
      this.#values.set(field, values)
      const key = normalizeForComparison(field, value, isRoom && field === 'name')
      const earlier = values.get(key)
      if (!earlier) {
        if (values.size < maxValues) values.set(key, { value, line: row.line, number: row.number })
        const list = isRoom ? describeListCell(value) : undefined
        const isId = idFields.includes(field) && !findDamage(field, value)
        const unlikely = list ?? (isId ? describeUnlikelyId(field, value) : undefined)
        if (unlikely !== undefined) yield unlikely
      } else if (earlier.value !== value && !this.#reported.has(`${field}\0${value}`)) {
        this.#reported.add(`${field}\0${value}`)
        yield `${field} “${value}” differs from the value in ${formatRowPlace(earlier)} only by ${describeDifference(earlier.value, value)}`
      }
    }
  }
}

function normalizeForComparison(field: string, value: string, ignoresCase: boolean): string {
  const text = /^[!-~]+(?: [!-~]+)*$/.test(value) ? value : collapseSpaces(value.normalize('NFKC'))
  if (ignoresCase || isEmailField(field) || value.includes('@')) return text.toLowerCase()
  return idFields.includes(field) ? withoutLeadingZeros(text) : text
}

function collapseSpaces(text: string): string {
  return trimWhiteSpace(text).replaceAll(/[\s\u200b\u2060\ufeff]+/g, ' ')
}

function describeDifference(one: string, other: string): string {
  if (collapseSpaces(one) === collapseSpaces(other)) return 'white space'
  const [a = '', b = ''] = [one, other].map((value) => collapseSpaces(value.normalize('NFKC')))
  if (a === b) return 'Unicode normalization'
  if (withoutLeadingZeros(a) === withoutLeadingZeros(b)) return 'leading zeros'
  return 'letter case'
}
