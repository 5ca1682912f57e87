import { omitUndefined } from '../../../api/defined.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import type { Page } from '../../output/views/page.ts'
import type { Item } from '../../output/views/views.ts'
import { IdSet } from './id-set.ts'
import { isRound, readOffset, readTotal, Totals } from './list-total.ts'
import { type PageRequest, PageRequests } from './page-requests.ts'
import type { PageQuery } from './page-size.ts'
import { ReadAhead } from './read-ahead.ts'

export interface PagingOptions {
  request: PageRequest
  key: string
  id: string
  fetch: (query: PageQuery) => Promise<ResponseBody>
  serviceFacts: ServiceFacts
  notice: (text: string) => Promise<void>
  readAhead?: ReadAhead
  /** True for lists that are paged only if a request asks for pages: a response without `paging` is complete. */
  isPagedWhenAsked?: boolean
}

export type Verdict = { isComplete: true } | Incomplete

export interface Incomplete {
  isComplete: false
  reason?: string
  read: number
  total?: number
}

export interface PassEnd {
  verdict: Verdict
  /** True when the list did not change during the pass. */
  isStable: boolean
  end: number
  total: number
  added: number
}

/** Maximum number of requests to find where a changed list continues. */
const maxSeamReads = 4
const maxStalePages = 2

interface Part {
  answer: ResponseBody
  body: Item
  plain: boolean
  at: number
  items: readonly Item[]
  /** True when the service sent the whole list instead of a page. */
  isWhole: boolean
  total: number | undefined
}

interface Intake {
  fresh: Item[]
  /** True when the response contains an item that this pass had not read. */
  isNew: boolean
  /** True when the response starts with a new item and repeats items of earlier responses. */
  isReordered: boolean
}

/**
 * One pass over a list. Advances by the number of received items, because services cap `limit`. When the
 * total changes or IDs repeat, rereads from before the change until a page starts with a known item.
 */
export class ListPass {
  readonly #options: PagingOptions
  readonly #requests: PageRequests
  readonly #start: number
  readonly #yielded: IdSet
  readonly #yieldedBefore: number
  readonly #known: IdSet
  readonly #totals = new Totals()
  #frontier: number
  #firstId: string | undefined
  #longest = 0
  #partsWithNewItems = 0
  #isStable = true
  /** True when the continuation of a changed list was not found. */
  #isUncertain = false
  #seamReads = 0
  #stalePages = 0

  /** @param yielded IDs of yielded items, to which this pass adds; empty for the first pass */
  constructor(options: PagingOptions, yielded: IdSet) {
    const { request, fetch, serviceFacts, readAhead = new ReadAhead(), isPagedWhenAsked = false } = options
    this.#options = options
    this.#requests = new PageRequests(request, { fetch, serviceFacts, readAhead, isPagedWhenAsked })
    this.#start = request.offset ?? 0
    this.#frontier = this.#start
    this.#yielded = yielded
    this.#yieldedBefore = yielded.size
    this.#known = yielded.size === 0 ? yielded : new IdSet()
  }

  async *pages(): AsyncGenerator<Page, PassEnd> {
    const { request } = this.#options
    const { limit: wanted = Infinity } = request
    const many = request.all || request.limit !== undefined
    let offset = this.#start
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
        if (this.#seamReads < maxSeamReads) {
          back = Math.max(2 * back, (fallenBy ?? 0) + 1)
          offset = this.#rewind(back)
          continue
        }
        this.#isUncertain = true
      }
      const isSeamRead = back > 0
      back = 0

      const previous = this.#frontier
      const isConfirmed = items.length === 0 && at > this.#start && this.#totals.current === previous
      const { fresh, isNew, isReordered } = this.#recordItems(part, overlaps, isSeamRead)
      const isFull =
        items.length >= Math.min(this.#requests.pageSize, this.#longest || Infinity) || isRound(total)
      this.#longest = Math.max(this.#longest, items.length)
      offset = this.#frontier = end
      const isStale = items.length > 0 && !isNew && !isSeamRead
      this.#stalePages = isStale ? this.#stalePages + 1 : 0
      const missing = wanted - this.#yielded.size
      const isSatisfied = part.isWhole || !many || missing <= 0
      const isEnd = items.length === 0 || (total === end && !isFull)
      if (isReordered && !isSatisfied && !isEnd) {
        back = 1
        offset = this.#rewind(end - previous + back)
      } else if (!isSatisfied && !isEnd && !isStale) {
        const bound = Math.min(this.#totals.isCredible ? (this.#totals.current ?? 0) : 0, end + missing)
        this.#requests.fill(end, missing, { step: items.length, bound })
      }
      // If an empty page confirmed the end, the page before it may be the whole response.
      if (!isConfirmed) yield this.#page(part, fresh)

      if (await this.#isOffsetIgnored(part))
        return this.#incomplete(`it ignored offset ${this.#start} and began at the first item`)
      if (isSatisfied) {
        if (!many) await this.#noticeMore()
        return this.#complete()
      }
      if (isEnd) {
        if ((this.#totals.current ?? 0) > end) return this.#incomplete()
        return this.#isUncertain ? this.#incomplete('it changed while it was read') : this.#complete()
      }
      if (isStale && (!isChanged || this.#stalePages > maxStalePages)) {
        const verdict = await this.#verdictOnRepeat(part, previous)
        if (verdict) return verdict
      }
    }
  }

  async #read(offset: number): Promise<Part> {
    const { key, isPagedWhenAsked = false } = this.#options
    const { at, answer } = await this.#requests.next(offset, this.#missing(offset))
    const plain = answer.isPlain
    const body = readResponseValue(answer) as Item
    const all = (body[key] ?? []) as Item[]
    const mayBeWhole = isPagedWhenAsked && at === this.#start && !body['paging']
    const isWhole = mayBeWhole && all.length !== this.#requests.pageSize
    // A service that sends the whole list ignores the offset.
    const items = isWhole ? all.slice(this.#start) : all
    return { answer, body, plain, at, items, isWhole, total: readTotal(body) }
  }

  #missing(offset: number): number {
    const { limit = Infinity } = this.#options.request
    return limit - this.#yielded.size - (offset - this.#frontier)
  }

  #recordItems({ items }: Part, overlaps: boolean, isSeamRead: boolean): Intake {
    const known = this.#known
    const isFirstPass = known === this.#yielded
    const { size } = known
    const { limit = Infinity } = this.#options.request
    const fresh: Item[] = []
    for (const item of items) {
      const id = this.#idOf(item)
      if (!known.add(id)) continue
      if (!isFirstPass && !this.#yielded.add(id)) continue
      fresh.push(item)
    }
    const added = known.size - size
    const isNew = added > 0
    if (isNew) {
      this.#seamReads = 0
      this.#partsWithNewItems++
    }
    const [first] = items
    if (first !== undefined) this.#firstId ??= this.#idOf(first)
    const hasRepeats = isNew && added < items.length && !isSeamRead
    // A duplicate ID within one response does not indicate a change.
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
    const limit = Math.min(this.#yielded.size, request.limit ?? Infinity)
    const paging =
      'paging' in rest ? { paging: { limit, offset: this.#start, ...omitUndefined({ total }) } } : {}
    const all = body[key] ?? []
    const isAll =
      at === this.#start && this.#known === this.#yielded && Array.isArray(all) && fresh.length === all.length
    return {
      items: fresh,
      plain,
      rest: { ...rest, ...paging },
      ...omitUndefined({ whole: isAll ? answer : undefined }),
    }
  }

  /** Checks whether the service ignored the offset of the first request. */
  async #isOffsetIgnored({ at, body, items: [item], isWhole }: Part): Promise<boolean> {
    const reportedOffset = readOffset(body)
    if (at === 0 || at !== this.#start || item === undefined || isWhole) return false
    if (reportedOffset === undefined || reportedOffset === at) return false
    // Some services honor the offset but report another one.
    const [first] = await this.#requestPage({ limit: 1, offset: 0 })
    return first !== undefined && this.#idOf(first) === this.#idOf(item)
  }

  /** Checks whether the service ignores `limit` and always sends the whole list. */
  async #isUnpaged(count: number): Promise<boolean> {
    return count === 1 || (await this.#requestPage({ limit: 1, offset: 0 })).length === count
  }

  async #requestPage(query: PageQuery): Promise<readonly Item[]> {
    const body = readResponseValue(await this.#options.fetch(query)) as Item
    return (body[this.#options.key] ?? []) as Item[]
  }

  /** Returns the end of the pass when the service repeats items; undefined when another request may help. */
  async #verdictOnRepeat({ at, items }: Part, previous: number): Promise<PassEnd | undefined> {
    const { current } = this.#totals
    const repeats = `it repeats its response for offset ${at}`
    if (items[0] !== undefined && this.#idOf(items[0]) === this.#firstId) {
      // For an offset beyond the end, some services return the first page.
      if (this.#partsWithNewItems > 1 && current === previous) return this.#complete()
      const isOnlyPart = this.#partsWithNewItems === 1 && (current ?? 0) <= items.length
      return isOnlyPart && (await this.#isUnpaged(items.length))
        ? this.#complete()
        : this.#incomplete(repeats)
    }
    // For an offset beyond the end, some services return the last page.
    if (current === previous) return this.#complete()
    return this.#stalePages >= maxStalePages ? this.#incomplete(repeats) : undefined
  }

  /** Discards the pages requested ahead, and returns the offset from which to reread. */
  #rewind(by: number): number {
    this.#seamReads++
    this.#requests.drop()
    return Math.max(this.#start, this.#frontier - by)
  }

  async #noticeMore(): Promise<void> {
    const { current } = this.#totals
    if (current === undefined || current <= this.#frontier) return
    await this.#options.notice(
      `showing ${this.#yielded.size} of ${current}; use --all, or --limit and --offset`,
    )
  }

  #complete(): PassEnd {
    return this.#createResult({ isComplete: true })
  }

  #incomplete(reason?: string): PassEnd {
    const { highest } = this.#totals
    const total = highest > 0 ? highest : undefined
    return this.#createResult({
      isComplete: false,
      read: this.#start + this.#known.size,
      ...omitUndefined({ reason, total }),
    })
  }

  #createResult(verdict: Verdict): PassEnd {
    return {
      verdict,
      isStable: this.#isStable,
      end: this.#frontier,
      total: this.#totals.highest,
      added: this.#yielded.size - this.#yieldedBefore,
    }
  }

  // IDs are compared as text, because a large number is a new object in each response.
  #idOf(item: Item): string {
    return String(item[this.#options.id])
  }
}
