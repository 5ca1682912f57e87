import { counted, plural } from '../../api/plural.ts'
import { suggest, UsageError } from '../../errors.ts'
import { idleSince } from '../filter/metric-types.ts'
import type { FieldValue } from '../output/views/views.ts'

/** Counter of items that conditions could not decide because a field is missing or unreadable. */
export class MissingFields {
  readonly #noun: readonly [string, string]
  readonly #metrics: readonly string[]
  /** Counts of undecided items by field. `isCarried` is true if any item has the field. */
  readonly #counts = new Map<string, { isCarried: boolean; missing: number; unreadable: number }>()

  constructor(noun: readonly [string, string], metrics: readonly string[]) {
    this.#noun = noun
    this.#metrics = metrics
  }

  /** @param matches result of the conditions; undefined if a missing field prevents it */
  count(
    fields: readonly string[],
    readField: (field: string) => FieldValue,
    matches: boolean | undefined,
  ): void {
    for (const field of fields) {
      const counts = this.#counts.get(field) ?? { isCarried: false, missing: 0, unreadable: 0 }
      this.#counts.set(field, counts)
      const value = readField(field)
      if (value.known || value.isUnreadable) counts.isCarried = true
      if (value.known) continue
      if (matches === undefined && value.isUnreadable) counts.unreadable++
      else if (matches === undefined) counts.missing++
    }
  }

  /** @throws {UsageError} when all items lack a field */
  *notices(): Generator<string> {
    for (const [field, { isCarried, missing, unreadable }] of this.#counts) {
      if (missing > 0 && !isCarried) throw this.#missingEverywhere(field)
      if (missing > 0) yield this.#describe(missing, `without ${displayName(field)}`)
      if (unreadable > 0) yield this.#describe(unreadable, `with an unreadable ${displayName(field)}`)
    }
  }

  #describe(count: number, condition: string): string {
    return `${counted(count, ...this.#noun)} ${condition} ${plural(count, 'does', 'do')} not match`
  }

  #missingEverywhere(field: string): UsageError {
    const [one] = this.#noun
    if (this.#metrics.includes(field))
      return new UsageError(
        `--where: the service sends no “${displayName(field)}” for any ${one} that could match`,
        {
          hint: ['see what it sends with: ', suggest(['sessions', 'list', 'ROOM', '--json'])],
        },
      )
    return new UsageError(`--where: no ${one} that could match has a field “${field}”`, {
      hint: 'a service may leave out what is null; --json shows what it sends',
    })
  }
}

const displayName = (field: string) => (field === idleSince ? 'idle' : field)
