import { defined } from '../../api/defined.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { Page } from '../output/page.ts'
import { fieldOf, type Item, type View } from '../output/views.ts'
import type { FullRecords } from './full-records.ts'
import type { Filter } from './where.ts'

/** Which of the matching items to return. */
interface Wanted {
  limit?: number | undefined
  offset?: number | undefined
}

/**
 * What `--where` chooses, from one list or from several. An item that does not carry what decides is decided on its full
 * record; what that does not carry either never matches, whatever the operator.
 */
export class Selection {
  readonly filter: Filter
  /** Undefined where a list is all that there is. */
  readonly full: FullRecords | undefined
  readonly #context: Context
  readonly #view: View
  /** For each field, whether some item carries it, and how many that it would have decided do not. */
  readonly #fields: Map<string, { isCarried: boolean; missing: number }>

  constructor(context: Context, view: View, filter: Filter, full: FullRecords | undefined) {
    this.#context = context
    this.#view = view
    this.filter = filter
    this.full = full
    this.#fields = new Map(filter.fields.map((field) => [field, { isCarried: false, missing: 0 }]))
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
      const matching = await this.#matching(page.items, room)
      const items = matching.slice(Math.max(0, offset - passed)).slice(0, limit - given)
      // A full record may hold numbers that need care.
      const plain = page.plain && items.every((item) => page.items.includes(item))
      passed += matching.length
      given += items.length
      rest = page.rest ?? {}
      if (items.length > 0) yield { items, ...defined({ plain }) }
      if (given >= limit) break
    }
    // How many match in all is known only when every page was read.
    const total = given >= limit ? undefined : passed
    const paging = { limit: given, offset, ...defined({ total }) }
    return { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  }

  /**
   * The same pages, and their end once it is told what could not be decided.
   * @throws {UsageError} when no item carries one of the fields
   */
  async *closed(pages: AsyncGenerator<Page, Page | undefined>): AsyncGenerator<Page, undefined> {
    const end = yield* pages
    for (const [field, { isCarried, missing }] of this.#fields)
      if (missing > 0) await this.#tell(field, isCarried, missing)
    if (end) yield end
  }

  async #matching(items: readonly Item[], room: string): Promise<Item[]> {
    const verdicts = items.map((item) => this.filter.matches(item))
    const undecided = items.filter((_, i) => verdicts[i] === undefined)
    const records = (await this.full?.of(undecided, room)) ?? undecided
    const recordOf = new Map(undecided.map((item, i) => [item, records[i]]))
    return items.flatMap((item, i) => {
      const verdict = verdicts[i]
      const record = verdict === undefined ? recordOf.get(item) : item
      if (!record) return []
      const matches = verdict ?? this.filter.matches(record)
      this.#count(record, matches)
      return matches ? [record] : []
    })
  }

  #count(record: Item, matches: boolean | undefined): void {
    for (const [field, counts] of this.#fields)
      if (fieldOf(this.#view, field, record).known) counts.isCarried = true
      else if (matches === undefined) counts.missing++
  }

  async #tell(field: string, isCarried: boolean, missing: number): Promise<void> {
    const [one, many] = this.#view.noun
    if (!isCarried)
      throw new UsageError(`--where: no ${one} that could match has a field “${field}”`, {
        hint: 'a service may leave out what is null; --json shows what it sends',
      })
    await this.#context.notice(
      missing === 1
        ? `1 ${one} without ${field} does not match`
        : `${missing} ${many} without ${field} do not match`,
    )
  }
}
