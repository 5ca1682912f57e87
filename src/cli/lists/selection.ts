import { omitUndefined } from '../../api/defined.ts'
import { counted, plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { PartialError, suggest, UsageError } from '../../errors.ts'
import { idleSince, readAs } from '../filter/metric-types.ts'
import { type Filter, findMetric } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { type FieldValue, type Item, readField, type View } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import { readTotal } from './paging/list-total.ts'
import type { RoomMetricsReader } from './room-metrics.ts'

interface ItemRange {
  limit?: number | undefined
  offset?: number | undefined
}

/** Room metrics by room ID. */
export type RoomValues = Map<string, Item>

interface Sources {
  full: FullRecords | undefined
  values: RoomValues
  metrics?: RoomMetricsReader
}

/**
 * Filter of lists by `--where` and `--search`. Metrics are requested last, only for rooms that match all
 * other conditions.
 */
export class Selection {
  readonly full: FullRecords | undefined
  readonly #metricsReader: RoomMetricsReader | undefined
  readonly #missing: MissingFields
  #matched = 0
  #read = 0
  #candidates = 0
  readonly #values: RoomValues
  readonly #context: Context
  readonly #view: View

  constructor(
    context: Context,
    view: View,
    readonly filter: Filter,
    { full, values, metrics }: Sources,
  ) {
    this.#context = context
    this.#view = view
    this.#missing = new MissingFields(view.noun, filter.metrics)
    this.full = full
    this.#values = values
    this.#metricsReader = metrics
  }

  /**
   * Yields the matching items, and returns an empty page with the paging.
   * @param room ID of the room of listed members
   */
  async *from(
    pages: AsyncIterable<Page>,
    room: string,
    { limit = Number.POSITIVE_INFINITY, offset = 0 }: ItemRange = {},
  ): AsyncGenerator<Page, Page> {
    let rest: Item = {}
    let passed = 0
    let yielded = 0
    for await (const page of pages) {
      const matching = await this.#matching(page, room, offset + limit - passed)
      const items = matching.slice(Math.max(0, offset - passed)).slice(0, limit - yielded)
      // Full records may contain numbers that need lossless output.
      const plain = page.plain && items.every((item) => page.items.includes(item))
      passed += matching.length
      this.#matched += matching.length
      yielded += items.length
      rest = page.rest ?? {}
      if (items.length > 0) yield { items, ...omitUndefined({ plain }) }
      if (yielded >= limit) break
    }
    // The total is known only after reading all pages and rooms.
    const total = yielded >= limit || this.#metricsReader?.problem ? undefined : passed
    const paging = { limit: yielded, offset, ...omitUndefined({ total }) }
    return { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  }

  /**
   * Yields the pages, then prints notices about the conditions.
   * @param hint hint of the error about unreadable rooms
   * @throws {UsageError} if an item is undecided, and no item has the missing field
   * @throws {PartialError} at the end, if some rooms could not be read
   */
  async *withReport(
    pages: AsyncGenerator<Page, Page | undefined>,
    hint = 'these rooms are omitted',
  ): AsyncGenerator<Page, undefined> {
    const end = yield* pages
    for (const notice of this.#missing.notices()) await this.#context.notice(notice)
    if (this.#matched === 0)
      for (const notice of this.filter.explainNoMatch()) await this.#context.notice(notice)
    if (end) yield end
    const { problem } = this.#metricsReader ?? {}
    if (problem) throw new PartialError(problem, { hint })
  }

  /** Returns true unless the item contradicts a condition. A missing field is no contradiction. */
  async stillMatches(item: Item, client: Client): Promise<boolean> {
    if (this.filter.matches(item) === false) return false
    return (await this.#metricsReader?.matchesAgain(item, client)) !== false
  }

  get fields(): readonly string[] {
    return [...this.filter.fields, ...this.filter.metrics]
  }

  withMetrics(item: Item): Item {
    return { ...item, ...this.#values.get(toText(item['id'])) }
  }

  reads(metric: string): boolean {
    return this.#metricsReader?.needed.includes(readAs(metric)) === true
  }

  async #matching({ items, rest = {} }: Page, room: string, limit: number): Promise<Item[]> {
    const matching = await this.#matchingFields(items, room)
    if (!this.#metricsReader) return matching
    this.#read += items.length
    this.#candidates += matching.length
    await this.#announceRooms(this.#metricsReader, readTotal(rest), limit)
    const matchingRooms: Item[] = []
    for await (const { room: item, metrics, matches } of this.#metricsReader.of(matching)) {
      this.#count(this.filter.metrics, (field) => findMetric(metrics, field), matches)
      if (!matches) continue
      const id = toText(item['id'])
      this.#values.set(id, { ...this.#values.get(id), ...metrics })
      matchingRooms.push(item)
      if (matchingRooms.length >= limit) break
    }
    return matchingRooms
  }

  /** Announces the number of rooms to read, estimated if there is a condition on a field. */
  async #announceRooms(reader: RoomMetricsReader, total: number | undefined, limit: number): Promise<void> {
    const isEstimate = this.filter.fields.length > 0
    const share = isEstimate ? this.#candidates / Math.max(1, this.#read) : 1
    const rooms = total === undefined ? undefined : Math.round(total * share)
    const mayEndEarly = limit < Number.POSITIVE_INFINITY
    const qualifier = mayEndEarly ? (isEstimate ? 'up to about' : 'up to') : isEstimate ? 'about' : undefined
    await reader.expect(this.#candidates, rooms, qualifier)
  }

  #count(
    fields: readonly string[],
    readField: (field: string) => FieldValue,
    matches: boolean | undefined,
  ): void {
    const readChecked = (field: string) => this.filter.markUnreadable(field, readField(field))
    this.#missing.count(fields, matches === undefined ? readChecked : readField, matches)
  }

  async #matchingFields(items: readonly Item[], room: string): Promise<Item[]> {
    const { fields } = this.filter
    const verdicts = items.map((item) => this.filter.matches(item))
    const isUndecided = (_: Item, i: number) => verdicts[i] === undefined
    const records = (await this.full?.complete(items, isUndecided, room)) ?? items
    return records.flatMap((record, i) => {
      if (!record) return []
      const matches = verdicts[i] ?? this.filter.matches(record)
      this.#count(fields, (field) => readField(this.#view, field, record), matches)
      return matches ? [record] : []
    })
  }
}

/** Counter of items that conditions could not decide because a field is missing or unreadable. */
class MissingFields {
  /** Counts of undecided items by field. `isCarried` is true if any item has the field. */
  readonly #counts = new Map<string, { isCarried: boolean; missing: number; unreadable: number }>()

  readonly #noun: readonly [string, string]
  readonly #metrics: readonly string[]

  constructor(noun: readonly [string, string], metrics: readonly string[]) {
    this.#noun = noun
    this.#metrics = metrics
  }

  /** @param matches result of the conditions; undefined if the item does not decide them */
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

  /** @throws {UsageError} if an item is undecided, and no item has the missing field */
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
        `--where: the service does not show “${displayName(field)}” for any checked ${one}`,
        {
          hint: ['show all fields with: ', suggest(['sessions', 'list', '--all-rooms', '--json'])],
        },
      )
    const list = one === 'room' || one === 'user' ? suggest([`${one}s`, 'list', '--json']) : undefined
    const note = '; fields with the value null may be missing'
    return new UsageError(`--where: no checked ${one} has a field “${field}”`, {
      hint: list
        ? ['show all fields with: ', list, note]
        : `omit the condition and add --json to show all fields${note}`,
    })
  }
}

const displayName = (field: string) => (field === idleSince ? 'idle' : field)
