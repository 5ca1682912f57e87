import { omitUndefined } from '../../../api/defined.ts'
import { isPlain, readAnswer } from '../../../api/json.ts'
import type { Answer } from '../../../client/client.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import type { Page } from '../../output/views/page.ts'
import type { Item } from '../../output/views/views.ts'
import { isRound, offsetOf, Totals, totalOf } from './list-total.ts'
import { type PageRequest, PageRequests } from './page-requests.ts'
import type { PageQuery } from './page-size.ts'

export interface PagingOptions {
  request: PageRequest
  /** Field of the body that holds the items. */
  key: string
  /** Field that tells items apart. */
  id: string
  fetch: (query: PageQuery) => Promise<Answer>
  /** Facts about the service that the run has learned. */
  seen: ServiceFacts
  /** Told when the list has more than was asked for. */
  notice: (text: string) => Promise<void>
  /** Number of pages that are requested before the current one is used. */
  ahead?: number
  /** The specification pages this list only on request: an answer without `paging` holds all of it. */
  isPagedWhenAsked?: boolean
}

/** Whether a list was read to its end. */
export type Verdict = { isComplete: true } | Incomplete

export interface Incomplete {
  isComplete: false
  reason?: string
  /** Position behind the last item that was read. */
  read: number
  /** Number of items in all, as far as the service says. */
  total?: number
}

/** The result of reading a list once. */
export interface PassEnd {
  verdict: Verdict
  /** The list did not change while it was read. */
  isStable: boolean
  /** Position behind the last item. */
  end: number
  /** Highest total that an answer gave. */
  total: number
  /** Number of items that no earlier pass had. */
  added: number
}

/** Maximum number of requests that look for the place where a changed list continues. */
const mostSeamReads = 4
/** Maximum number of consecutive pages without a new item. */
const mostStalePages = 2

/** One answer, as a part of the list. */
interface Part {
  answer: Answer
  body: Item
  plain: boolean
  at: number
  items: readonly Item[]
  /** All of the list, although a part was asked for. */
  isWhole: boolean
  total: number | undefined
}

/** Items of a part, compared with those read before. */
interface Intake {
  /** Items that were not yielded before. */
  fresh: Item[]
  /** This pass had none or not all of them. */
  isNew: boolean
  /** Items of other parts come up again behind a new one. */
  isReordered: boolean
}

/**
 * Reads a list from its start to its end. Advances by the number of items received, because services cap `limit`. When
 * the total changes or ids repeat, reads again from before the change until a page begins with a known item.
 */
export class ListPass {
  readonly #options: PagingOptions
  readonly #requests: PageRequests
  readonly #start: number
  /** Ids of the items that were yielded, in this pass or an earlier one. */
  readonly #given: Set<string>
  readonly #givenBefore: number
  /** Ids that this pass has read. */
  readonly #known: Set<string>
  readonly #totals = new Totals()
  /** Position behind the last accepted item. */
  #frontier: number
  #firstId: string | undefined
  #longest = 0
  #partsWithNews = 0
  #isStable = true
  /** The place where a changed list continues was not found. */
  #isUnsure = false
  #seamReads = 0
  #stalePages = 0

  /** @param given takes the ids of the items that are yielded; empty for the first pass */
  constructor(options: PagingOptions, given: Set<string>) {
    const { request, fetch, seen, isPagedWhenAsked = false } = options
    this.#options = options
    this.#requests = new PageRequests(request, { fetch, seen, isPagedWhenAsked })
    this.#start = request.offset ?? 0
    this.#frontier = this.#start
    this.#given = given
    this.#givenBefore = given.size
    this.#known = given.size === 0 ? given : new Set()
  }

  async *pages(): AsyncGenerator<Page, PassEnd> {
    const { request, ahead = 2 } = this.#options
    const { limit: wanted = Infinity } = request
    const many = request.all || request.limit !== undefined
    let offset = this.#start
    /** Number of items by which the last request went back. */
    let back = 0
    for (;;) {
      const part = await this.#read(offset)
      const { at, items, total } = part
      const end = at + items.length
      const fallenBy = this.#totals.observe(total, { end, count: items.length })
      const isChanged = fallenBy !== undefined
      const overlaps = items[0] !== undefined && this.#known.has(this.#idOf(items[0]))
      if (isChanged) this.#isStable = false
      if (at > this.#start && (isChanged || back > 0) && !overlaps) {
        if (this.#seamReads < mostSeamReads) {
          back = Math.max(2 * back, (fallenBy ?? 0) + 1)
          offset = this.#goBack(back)
          continue
        }
        this.#isUnsure = true
      }
      const isSeamRead = back > 0
      back = 0

      const previous = this.#frontier
      const isConfirmed = items.length === 0 && at > this.#start && this.#totals.current === previous
      const { fresh, isNew, isReordered } = this.#take(part, overlaps, isSeamRead)
      const isFull =
        items.length >= Math.min(this.#requests.pageSize, this.#longest || Infinity) || isRound(total)
      this.#longest = Math.max(this.#longest, items.length)
      offset = this.#frontier = end
      const isStale = items.length > 0 && !isNew && !isSeamRead
      this.#stalePages = isStale ? this.#stalePages + 1 : 0
      const missing = wanted - this.#given.size
      const isSatisfied = part.isWhole || !many || missing <= 0
      const isEnd = items.length === 0 || (total === end && !isFull)
      if (isReordered && !isSatisfied && !isEnd) {
        back = 1
        offset = this.#goBack(end - previous + back)
      } else if (!isSatisfied && !isEnd && !isStale) {
        const bound = Math.min(this.#totals.isCredible ? (this.#totals.current ?? 0) : 0, end + missing)
        this.#requests.fill(end, missing, { step: items.length, bound, ahead })
      }
      // The page before a confirmation was the last one, and may be the whole answer.
      if (!isConfirmed) yield this.#page(part, fresh)

      if (await this.#isOffsetIgnored(part))
        return this.#incomplete(`it ignored offset ${this.#start} and began at the first item`)
      if (isSatisfied) {
        if (!many) await this.#tellOfMore()
        return this.#complete()
      }
      if (isEnd) {
        if ((this.#totals.current ?? 0) > end) return this.#incomplete()
        return this.#isUnsure ? this.#incomplete('it changed while it was read') : this.#complete()
      }
      if (isStale && (!isChanged || this.#stalePages > mostStalePages)) {
        const verdict = await this.#verdictOnRepeat(part, previous)
        if (verdict) return verdict
      }
    }
  }

  async #read(offset: number): Promise<Part> {
    const { key, isPagedWhenAsked = false } = this.#options
    const next = this.#requests.next(offset, this.#missing(offset))
    const { at } = next
    const answer = await next.answer
    const plain = isPlain(answer.text)
    const body = (plain ? answer.value : readAnswer(answer)) as Item
    const all = (body[key] ?? []) as Item[]
    const mayBeWhole = isPagedWhenAsked && at === this.#start && !body['paging']
    const isWhole = mayBeWhole && all.length !== this.#requests.pageSize
    // A service that sent the whole list ignored the offset.
    const items = isWhole ? all.slice(this.#start) : all
    return { answer, body, plain, at, items, isWhole, total: totalOf(body) }
  }

  /** Number of items wanted from an offset on. */
  #missing(offset: number): number {
    const { limit = Infinity } = this.#options.request
    return limit - this.#given.size - (offset - this.#frontier)
  }

  /** Takes note of the items of a part. */
  #take({ items }: Part, overlaps: boolean, isSeamRead: boolean): Intake {
    const known = this.#known
    const isFirstPass = known === this.#given
    const { size } = known
    const { limit = Infinity } = this.#options.request
    const fresh: Item[] = []
    for (const item of items) {
      const id = this.#idOf(item)
      const before = known.size
      if (known.add(id).size === before) continue
      if (!isFirstPass) {
        if (this.#given.has(id)) continue
        this.#given.add(id)
      }
      fresh.push(item)
    }
    const added = known.size - size
    const isNew = added > 0
    if (isNew) {
      this.#seamReads = 0
      this.#partsWithNews++
    }
    const [first] = items
    if (first !== undefined) this.#firstId ??= this.#idOf(first)
    const hasRepeats = isNew && added < items.length && !isSeamRead
    // An id that is twice in one answer says nothing about a change.
    const isReordered = hasRepeats && !overlaps && added < new Set(items.map((item) => this.#idOf(item))).size
    if (hasRepeats && (overlaps || isReordered)) this.#isStable = false
    return {
      fresh: limit === Infinity ? fresh : fresh.slice(0, Math.max(0, limit - size)),
      isNew,
      isReordered,
    }
  }

  #page({ answer, body, plain, at, total }: Part, fresh: readonly Item[]): Page {
    const { key, request } = this.#options
    const { [key]: _, ...rest } = body
    const limit = Math.min(this.#given.size, request.limit ?? Infinity)
    const paging =
      'paging' in rest ? { paging: { limit, offset: this.#start, ...omitUndefined({ total }) } } : {}
    const all = body[key] ?? []
    const isAll =
      at === this.#start && this.#known === this.#given && Array.isArray(all) && fresh.length === all.length
    return {
      items: fresh,
      plain,
      rest: { ...rest, ...paging },
      ...omitUndefined({ whole: isAll ? answer : undefined }),
    }
  }

  /** Whether the first answer is that to another offset than the one that was asked for. */
  async #isOffsetIgnored({ at, body, items: [item], isWhole }: Part): Promise<boolean> {
    const said = offsetOf(body)
    if (at === 0 || at !== this.#start || item === undefined || isWhole) return false
    if (said === undefined || said === at) return false
    // Some services honour the offset and answer with another one.
    const [first] = await this.#ask({ limit: 1, offset: 0 })
    return first !== undefined && this.#idOf(first) === this.#idOf(item)
  }

  /** Whether the service ignores the limit as well as the offset, and sends its whole list each time. */
  async #isUnpaged(count: number): Promise<boolean> {
    return count === 1 || (await this.#ask({ limit: 1, offset: 0 })).length === count
  }

  async #ask(query: PageQuery): Promise<readonly Item[]> {
    const body = readAnswer(await this.#options.fetch(query)) as Item
    return (body[this.#options.key] ?? []) as Item[]
  }

  /** The end of the pass when a service has nothing new to answer; undefined when another request may help. */
  async #verdictOnRepeat({ at, items }: Part, previous: number): Promise<PassEnd | undefined> {
    const { current } = this.#totals
    const repeats = `it repeats its answer for offset ${at}`
    if (items[0] !== undefined && this.#idOf(items[0]) === this.#firstId) {
      // Behind the end, some services start over.
      if (this.#partsWithNews > 1 && current === previous) return this.#complete()
      const isOnlyPart = this.#partsWithNews === 1 && (current ?? 0) <= items.length
      return isOnlyPart && (await this.#isUnpaged(items.length))
        ? this.#complete()
        : this.#incomplete(repeats)
    }
    // Behind the end, some services answer with the last page.
    if (current === previous) return this.#complete()
    return this.#stalePages >= mostStalePages ? this.#incomplete(repeats) : undefined
  }

  /** Prepares to read again from before the frontier. */
  #goBack(by: number): number {
    this.#seamReads++
    this.#requests.drop()
    return Math.max(this.#start, this.#frontier - by)
  }

  async #tellOfMore(): Promise<void> {
    const { current } = this.#totals
    if (current === undefined || current <= this.#frontier) return
    await this.#options.notice(
      `showing ${this.#given.size} of ${current}; use --all, or --limit and --offset`,
    )
  }

  #complete(): PassEnd {
    return this.#ended({ isComplete: true })
  }

  #incomplete(reason?: string): PassEnd {
    const { highest } = this.#totals
    const total = highest > 0 ? highest : undefined
    return this.#ended({
      isComplete: false,
      read: this.#start + this.#known.size,
      ...omitUndefined({ reason, total }),
    })
  }

  #ended(verdict: Verdict): PassEnd {
    return {
      verdict,
      isStable: this.#isStable,
      end: this.#frontier,
      total: this.#totals.highest,
      added: this.#given.size - this.#givenBefore,
    }
  }

  // As text: a number that a double cannot hold is a new object in each answer.
  #idOf(item: Item): string {
    return String(item[this.#options.id])
  }
}
