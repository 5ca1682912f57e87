import { omitUndefined } from '../../../api/defined.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import { isBusy } from '../../../client/retry-policy.ts'
import { MeetroomError } from '../../../errors.ts'
import { defaultPageSize, fetchPage, type PageQuery } from './page-size.ts'
import type { ReadAhead } from './read-ahead.ts'

export interface PageRequest {
  /** Maximum number of items. Without `limit` and `all`, one page of the service's default size is requested. */
  limit?: number | undefined
  offset?: number | undefined
  all: boolean
  pageSize?: number | undefined
  /** True to read the list only once, even if it changes during the reading; for display only. */
  readOnce?: boolean | undefined
}

interface PendingPage {
  at: number
  answer: Promise<TimedResponse>
}

interface TimedResponse {
  answer: ResponseBody
  /** Time from the request to the response, in milliseconds. */
  latencyMs: number
}

interface Source {
  fetch: (query: PageQuery) => Promise<ResponseBody>
  serviceFacts: ServiceFacts
  readAhead: ReadAhead
  /** True for lists without a `limit` in the API specification. */
  isPagedWhenAsked: boolean
}

export class PageRequests {
  readonly #request: PageRequest
  readonly #source: Source
  readonly #isLimited: boolean
  readonly #pageSize: number
  #pending: PendingPage[] = []

  constructor(request: PageRequest, source: Source) {
    const { limit, pageSize, all } = request
    this.#request = request
    this.#source = source
    const many = all || limit !== undefined
    this.#isLimited = pageSize !== undefined || limit !== undefined || (many && !source.isPagedWhenAsked)
    this.#pageSize = pageSize ?? Math.min(limit ?? defaultPageSize, defaultPageSize)
  }

  get pageSize(): number {
    return this.#isLimited
      ? Math.min(this.#pageSize, this.#source.serviceFacts.pageSize ?? Infinity)
      : Infinity
  }

  /** Returns the first page that was requested ahead, or else the page at `offset`, with its offset. */
  async next(offset: number, missing: number): Promise<{ at: number; answer: ResponseBody }> {
    const { readAhead } = this.#source
    readAhead.onNeeded()
    const ahead = this.#pending.shift()
    const { at, answer: pending } = ahead ?? this.#send(offset, missing)
    const { answer, latencyMs } = await pending.catch((error: unknown) => {
      // Requests the page again, because concurrent requests may have used up its retries.
      if (!ahead || !(error instanceof MeetroomError) || !isBusy(error.status)) throw error
      return this.#send(at, missing).answer
    })
    readAhead.onReceived(latencyMs, answer.bytes.length)
    return { at, answer }
  }

  drop(): void {
    if (this.#pending.length > 0) this.#source.readAhead.onMiss()
    this.#pending = []
  }

  /**
   * Requests pages ahead.
   * @param step number of items per page
   * @param bound offset at which the list is expected to end
   */
  fill(offset: number, missing: number, { step, bound }: { step: number; bound: number }): void {
    // After a short page, the pages requested ahead have wrong offsets.
    if (this.#pending[0] && this.#pending[0].at !== offset) this.drop()
    const { readAhead, serviceFacts } = this.#source
    // For a busy service, more concurrent requests would only use up retries.
    if (serviceFacts.isBusy) readAhead.onMiss()
    const { pages } = readAhead
    for (let at = offset + this.#pending.length * step; this.#pending.length < pages; at += step) {
      if (this.#pending.length > 0 && at >= bound) break
      this.#pending.push(this.#send(at, missing - (at - offset)))
    }
  }

  #send(at: number, missing: number): PendingPage {
    const { fetch, serviceFacts, readAhead } = this.#source
    const query = omitUndefined({
      limit: this.#isLimited ? Math.min(this.#pageSize, missing) : undefined,
      offset: at > 0 || this.#request.offset !== undefined ? at : undefined,
    })
    // A page size chosen by the user is never reduced.
    const response =
      this.#request.pageSize === undefined ? fetchPage(fetch, query, serviceFacts) : fetch(query)
    const sentAt = readAhead.now()
    const answer = response.then((answer) => ({ answer, latencyMs: readAhead.now() - sentAt }))
    // Awaited later or never; prevents an unhandled rejection.
    answer.catch(() => {})
    return { at, answer }
  }
}
