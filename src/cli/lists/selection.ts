import { omitUndefined } from '../../api/defined.ts'
import { PartialError } from '../../errors.ts'
import { type Filter, metricOf } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { type FieldValue, fieldOf, type Item, type View } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import { MissingFields } from './missing-fields.ts'
import type { RoomMetricsReader } from './room-metrics.ts'

/** Which of the matching items to return. */
interface Wanted {
  limit?: number | undefined
  offset?: number | undefined
}

/** What else there is to decide by. */
interface Sources {
  /** Undefined where a list is all that there is. */
  full: FullRecords | undefined
  /** Undefined where the fields of the items decide. */
  facts?: RoomMetricsReader
}

/**
 * What `--where` chooses, from one list or from several. An item that does not carry what decides is decided on its full
 * record; what that does not carry either never matches, whatever the operator. What happens in a room is asked last, and
 * only where all else matches.
 */
export class Selection {
  readonly filter: Filter
  readonly full: FullRecords | undefined
  readonly #facts: RoomMetricsReader | undefined
  readonly #context: Context
  readonly #view: View
  readonly #untold: MissingFields
  #matched = 0
  /** Said once, when nothing matches. */
  readonly #asterisks: string[]
  /** What was found out about the rooms that match. */
  readonly #found = new WeakMap<Item, Item>()

  constructor(context: Context, view: View, filter: Filter, { full, facts }: Sources) {
    this.#context = context
    this.#view = view
    this.#untold = new MissingFields(view.noun, filter.metrics)
    this.filter = filter
    this.#asterisks = [...filter.asterisks]
    this.full = full
    this.#facts = facts
  }

  /**
   * The matching items of a list, page by page. Returns the end of the list, which holds no items, for `closed`.
   * @param room the room that members are in
   */
  async *from(
    pages: AsyncIterable<Page>,
    room: string,
    { limit = Number.POSITIVE_INFINITY, offset = 0 }: Wanted = {},
  ): AsyncGenerator<Page, Page> {
    let rest: Item = {}
    let passed = 0
    let given = 0
    for await (const page of pages) {
      const matching = await this.#matching(page.items, room, offset + limit - passed)
      const items = matching.slice(Math.max(0, offset - passed)).slice(0, limit - given)
      // A full record may hold numbers that need care.
      const plain = page.plain && items.every((item) => page.items.includes(item))
      passed += matching.length
      this.#matched += matching.length
      given += items.length
      rest = page.rest ?? {}
      if (items.length > 0) yield { items, ...omitUndefined({ plain }) }
      if (given >= limit) break
    }
    // How many match in all is known only when every page was read, and every room was looked into.
    const total = given >= limit || this.#facts?.problem ? undefined : passed
    const paging = { limit: given, offset, ...omitUndefined({ total }) }
    return { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  }

  /**
   * The same pages, and their end once it is told what could not be decided.
   * @param hint what becomes of a command that does not know of some rooms whether they match
   * @throws {UsageError} when no item carries one of the fields
   * @throws {PartialError} behind the end, when it is not known of some rooms whether they match
   */
  async *closed(
    pages: AsyncGenerator<Page, Page | undefined>,
    hint = 'they are left out',
  ): AsyncGenerator<Page, undefined> {
    const end = yield* pages
    for (const notice of this.#untold.notices()) await this.#context.notice(notice)
    if (this.#matched === 0)
      for (const notice of this.#asterisks.splice(0)) await this.#context.notice(notice)
    if (end) yield end
    const { problem } = this.#facts ?? {}
    if (problem) throw new PartialError(problem, { hint })
  }

  /** What decides. */
  get fields(): readonly string[] {
    return [...this.filter.fields, ...this.filter.metrics]
  }

  /** What was found out about a room that matches, and what its fields say. */
  withFacts(item: Item): Item {
    return { ...item, ...this.#found.get(item) }
  }

  /** @param most number of matching items that are of use */
  async #matching(items: readonly Item[], room: string, most: number): Promise<Item[]> {
    const matching = await this.#matchingFields(items, room)
    if (!this.#facts) return matching
    const chosen: Item[] = []
    for await (const { room: item, facts, matches } of this.#facts.of(matching)) {
      this.#count(this.filter.metrics, (field) => metricOf(facts, field), matches)
      if (!matches) continue
      this.#found.set(item, facts)
      chosen.push(item)
      if (chosen.length >= most) break
    }
    return chosen
  }

  #count(fields: readonly string[], tell: (field: string) => FieldValue, matches: boolean | undefined): void {
    const readable = (field: string) => this.filter.markUnreadable(field, tell(field))
    this.#untold.count(fields, matches === undefined ? readable : tell, matches)
  }

  async #matchingFields(items: readonly Item[], room: string): Promise<Item[]> {
    const { fields } = this.filter
    const verdicts = items.map((item) => this.filter.matches(item))
    const undecided = items.filter((_, i) => verdicts[i] === undefined)
    const records = (await this.full?.of(undecided, room)) ?? undecided
    const recordOf = new Map(undecided.map((item, i) => [item, records[i]]))
    return items.flatMap((item, i) => {
      const verdict = verdicts[i]
      const record = verdict === undefined ? recordOf.get(item) : item
      if (!record) return []
      const matches = verdict ?? this.filter.matches(record)
      this.#count(fields, (field) => fieldOf(this.#view, field, record), matches)
      return matches ? [record] : []
    })
  }
}
