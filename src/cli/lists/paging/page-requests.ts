import { omitUndefined } from '../../../api/defined.ts'
import type { Answer } from '../../../client/client.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import { defaultPageSize, fetchPage, type PageQuery } from './page-size.ts'

export interface PageRequest {
  /** Maximum number of items; undefined without `all` requests one page of the service's default size. */
  limit?: number | undefined
  offset?: number | undefined
  all: boolean
  pageSize?: number | undefined
  /** Reads the list only once, even if it changes meanwhile; for display only. */
  readOnce?: boolean | undefined
}

interface PendingPage {
  at: number
  answer: Promise<Answer>
}

interface Source {
  fetch: (query: PageQuery) => Promise<Answer>
  seen: ServiceFacts
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
    return this.#isLimited ? Math.min(this.#pageSize, this.#source.seen.pageSize ?? Infinity) : Infinity
  }

  next(offset: number, missing: number): PendingPage {
    return this.#pending.shift() ?? this.#send(offset, missing)
  }

  drop(): void {
    this.#pending = []
  }

  /**
   * Requests pages ahead.
   * @param step number of items per page
   * @param bound offset at which the list is expected to end
   */
  fill(
    offset: number,
    missing: number,
    { step, bound, ahead }: { step: number; bound: number; ahead: number },
  ) {
    // After a short page, the pages requested ahead do not follow it.
    if (this.#pending[0] && this.#pending[0].at !== offset) this.drop()
    for (let at = offset + this.#pending.length * step; this.#pending.length < ahead; at += step) {
      if (this.#pending.length > 0 && at >= bound) break
      this.#pending.push(this.#send(at, missing - (at - offset)))
    }
  }

  #send(at: number, missing: number): PendingPage {
    const { fetch, seen } = this.#source
    const query = omitUndefined({
      limit: this.#isLimited ? Math.min(this.#pageSize, missing) : undefined,
      offset: at > 0 || this.#request.offset !== undefined ? at : undefined,
    })
    // A page size chosen by the user is never reduced.
    const answer = this.#request.pageSize === undefined ? fetchPage(fetch, query, seen) : fetch(query)
    // Awaited later or never; prevents an unhandled rejection.
    answer.catch(() => {})
    return { at, answer }
  }
}
