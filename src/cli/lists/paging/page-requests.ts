import { omitUndefined } from '../../../api/defined.ts'
import type { Answer } from '../../../client/client.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import { fetchPage, type PageQuery, usualPageSize } from './page-size.ts'

export interface PageRequest {
  /** Number of items wanted; undefined with `all` false asks for one page of the service’s own size. */
  limit?: number | undefined
  offset?: number | undefined
  all: boolean
  pageSize?: number | undefined
  /** Reads the whole list once even if it changes meanwhile: for lists that are only shown. */
  readOnce?: boolean | undefined
}

interface Asked {
  at: number
  answer: Promise<Answer>
}

interface Source {
  fetch: (query: PageQuery) => Promise<Answer>
  /** Facts about the service that the run has learned. */
  seen: ServiceFacts
  /** The specification has no limit for this list. */
  isPagedWhenAsked: boolean
}

/** The requests for the pages of a list, some of them sent before their answer is needed. */
export class PageRequests {
  readonly #request: PageRequest
  readonly #source: Source
  readonly #isLimited: boolean
  readonly #pageSize: number
  #asked: Asked[] = []

  constructor(request: PageRequest, source: Source) {
    const { limit, pageSize, all } = request
    this.#request = request
    this.#source = source
    const many = all || limit !== undefined
    this.#isLimited = pageSize !== undefined || limit !== undefined || (many && !source.isPagedWhenAsked)
    this.#pageSize = pageSize ?? Math.min(limit ?? usualPageSize, usualPageSize)
  }

  /** Most items that one answer can hold by what was asked for. */
  get pageSize(): number {
    return this.#isLimited ? Math.min(this.#pageSize, this.#source.seen.pageSize ?? Infinity) : Infinity
  }

  /** The next page: requested already, or requested now from an offset. */
  next(offset: number, missing: number): Asked {
    return this.#asked.shift() ?? this.#ask(offset, missing)
  }

  /** Forgets the pages that are under way. */
  drop(): void {
    this.#asked = []
  }

  /**
   * Requests pages before they are needed.
   * @param step number of items from one page to the next
   * @param bound offset from which nothing is expected
   */
  fill(
    offset: number,
    missing: number,
    { step, bound, ahead }: { step: number; bound: number; ahead: number },
  ) {
    // A page shorter than the one before it: the pages requested behind it do not follow it.
    if (this.#asked[0] && this.#asked[0].at !== offset) this.drop()
    for (let at = offset + this.#asked.length * step; this.#asked.length < ahead; at += step) {
      if (this.#asked.length > 0 && at >= bound) break
      this.#asked.push(this.#ask(at, missing - (at - offset)))
    }
  }

  #ask(at: number, missing: number): Asked {
    const { fetch, seen } = this.#source
    const query = omitUndefined({
      limit: this.#isLimited ? Math.min(this.#pageSize, missing) : undefined,
      offset: at > 0 || this.#request.offset !== undefined ? at : undefined,
    })
    // The user chose a page size: it is not replaced.
    const answer = this.#request.pageSize === undefined ? fetchPage(fetch, query, seen) : fetch(query)
    // Awaited later or never; prevents an unhandled rejection.
    answer.catch(() => {})
    return { at, answer }
  }
}
