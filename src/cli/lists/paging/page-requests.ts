import { omitUndefined } from '../../../api/defined.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import { isBusy } from '../../../client/retry-policy.ts'
import { MeetroomError } from '../../../errors.ts'
import { defaultPageSize, fetchPage, isRefusal, type PageQuery } from './page-size.ts'
import type { PagedList } from './paged-list.ts'
import { ReadAhead } from './read-ahead.ts'

interface PendingPage {
  at: number
  timed: Promise<{ response: ResponseBody; latencyMs: number }>
}

interface Remaining {
  /** Maximum number of items that are still needed. */
  missing: number
  /** Expected number of items in the list; undefined if unknown. */
  total: number | undefined
}

export class PageRequests {
  readonly #start: number
  readonly #readAhead: ReadAhead
  #isLimited: boolean
  readonly #pageSize: number
  #pending: PendingPage[] = []
  readonly #list: PagedList

  constructor(list: PagedList) {
    this.#list = list
    const { request, serviceFacts, isPagedWhenAsked = false, readAhead = new ReadAhead() } = list
    const { limit, offset = 0, pageSize, all, inPages = false } = request
    this.#start = offset
    this.#readAhead = readAhead
    const isPaged = (all && !isPagedWhenAsked) || (inPages && !serviceFacts.isPagingRefused)
    this.#isLimited = pageSize !== undefined || limit !== undefined || isPaged
    this.#pageSize = pageSize ?? Math.min(limit ?? defaultPageSize, defaultPageSize)
  }

  /** Expected maximum number of items of a page; may be infinite. */
  get pageSize(): number {
    return this.#isLimited ? Math.min(this.#pageSize, this.#list.serviceFacts.pageSize || Infinity) : Infinity
  }

  /** @returns undefined if the service refuses an offset after the end */
  async next(offset: number, remaining: Remaining): Promise<ResponseBody | undefined> {
    const readAhead = this.#readAhead
    readAhead.onNeeded()
    const ahead = this.#pending.shift()
    const { timed: pending } = ahead ?? this.#send(offset, remaining)
    try {
      const { response, latencyMs } = await pending.catch((error: unknown) => {
        // Retries once more, because concurrent requests may have used up the retries of this request.
        if (!ahead || !(error instanceof MeetroomError) || !isBusy(error.status)) throw error
        return this.#send(offset, remaining).timed
      })
      readAhead.onReceived(latencyMs, response.bytes.length)
      return response
    } catch (error) {
      if (!this.#isEndOfList(error, offset, remaining)) throw error
      return undefined
    }
  }

  /** @param step number of items per page */
  fill(offset: number, { missing, total = 0 }: Remaining, step: number): void {
    const readAhead = this.#readAhead
    // After a short page, the pages requested ahead have wrong offsets.
    if (this.#pending[0] && this.#pending[0].at !== offset) {
      readAhead.onMiss()
      this.#pending = []
    }
    // For a busy service, more concurrent requests would only use up retries.
    if (this.#list.serviceFacts.isBusy) readAhead.onMiss()
    const { pages } = readAhead
    const bound = Math.min(total, offset + missing)
    for (let at = offset + this.#pending.length * step; this.#pending.length < pages; at += step) {
      if (this.#pending.length > 0 && at >= bound) break
      this.#pending.push(this.#send(at, { missing: missing - (at - offset), total }))
    }
  }

  #send(at: number, { missing, total }: Remaining): PendingPage {
    const { fetch, serviceFacts, request } = this.#list
    const readAhead = this.#readAhead
    const query = omitUndefined({
      limit: this.#isLimited ? Math.min(this.#pageSize, missing) : undefined,
      offset: at > 0 || request.offset !== undefined ? at : undefined,
    })
    // After a refusal, a page size chosen by the user is not reduced.
    const pending =
      request.pageSize !== undefined
        ? fetch(query)
        : request.inPages
          ? this.#fetchInPages(query)
          : fetchPage(fetch, query, serviceFacts, { isSizeAccepted: this.#isBehind(at, total) })
    const sentAt = readAhead.now()
    const timed = pending.then((response) => ({ response, latencyMs: readAhead.now() - sentAt }))
    // Awaited later or never; prevents an unhandled rejection.
    timed.catch(() => {})
    return { at, timed }
  }

  /** Requests a page, or the whole list if the service refuses the first page. */
  async #fetchInPages({ limit, offset }: PageQuery): Promise<ResponseBody> {
    const { fetch, serviceFacts } = this.#list
    try {
      return await fetch(omitUndefined({ limit, offset }))
    } catch (error) {
      if (limit === undefined || offset !== undefined || !isRefusal(error)) throw error
      this.#isLimited = false
      const whole = await fetch({})
      serviceFacts.isPagingRefused = true
      return whole
    }
  }

  /** Returns true for an offset after all items, which some services refuse. */
  #isBehind(at: number, total: number | undefined): boolean {
    return at > this.#start && total !== undefined && total > 0 && at >= total
  }

  #isEndOfList(error: unknown, at: number, { total }: Remaining): boolean {
    if (!(error instanceof MeetroomError) || at === this.#start) return false
    const { status } = error
    return status === 404 || status === 416 || (status === 400 && this.#isBehind(at, total))
  }
}
