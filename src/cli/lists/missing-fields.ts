import { suggest, UsageError } from '../../errors.ts'
import { idleSince } from '../filter/metric-types.ts'
import type { FieldValue } from '../output/views/views.ts'

/** Keeps count of what could not be decided, since some items do not carry a field. */
export class MissingFields {
  readonly #noun: readonly [string, string]
  readonly #facts: readonly string[]
  /**
   * For each field, whether some item carries it, and how many items that it would have decided do not, or carry what cannot
   * be read.
   */
  readonly #counts = new Map<string, { isCarried: boolean; missing: number; unreadable: number }>()

  /** @param facts the fields that are asked of the service for each room */
  constructor(noun: readonly [string, string], facts: readonly string[]) {
    this.#noun = noun
    this.#facts = facts
  }

  /**
   * Counts one item.
   * @param matches whether it matches; undefined when a field that it does not carry would have decided
   */
  count(fields: readonly string[], tell: (field: string) => FieldValue, matches: boolean | undefined): void {
    for (const field of fields) {
      const counts = this.#counts.get(field) ?? { isCarried: false, missing: 0, unreadable: 0 }
      this.#counts.set(field, counts)
      const told = tell(field)
      if (told.known || told.isUnreadable) counts.isCarried = true
      if (told.known) continue
      if (matches === undefined && told.isUnreadable) counts.unreadable++
      else if (matches === undefined) counts.missing++
    }
  }

  /**
   * What there is to say about it, in words.
   * @throws {UsageError} when no item carries one of the fields
   */
  *notices(): Generator<string> {
    for (const [field, { isCarried, missing, unreadable }] of this.#counts) {
      if (missing > 0 && !isCarried) throw this.#neverTold(field)
      if (missing > 0) yield this.#inWords(missing, `without ${nameOf(field)}`)
      if (unreadable > 0) yield this.#inWords(unreadable, `with an unreadable ${nameOf(field)}`)
    }
  }

  #inWords(count: number, which: string): string {
    const [one, many] = this.#noun
    return count === 1 ? `1 ${one} ${which} does not match` : `${count} ${many} ${which} do not match`
  }

  #neverTold(field: string): UsageError {
    const [one] = this.#noun
    if (this.#facts.includes(field))
      return new UsageError(
        `--where: the service does not tell “${nameOf(field)}” of any ${one} that could match`,
        {
          hint: ['see what it sends with: ', suggest(['sessions', 'list', 'ROOM', '--json'])],
        },
      )
    return new UsageError(`--where: no ${one} that could match has a field “${field}”`, {
      hint: 'a service may leave out what is null; --json shows what it sends',
    })
  }
}

/** What people call it. */
const nameOf = (field: string) => (field === idleSince ? 'idle' : field)
