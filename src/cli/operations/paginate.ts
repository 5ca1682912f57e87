import type { Answer } from '../../api/client.ts'
import { defined } from '../../api/defined.ts'
import { isPlain, readAnswer } from '../../api/json.ts'
import type { Seen } from '../../api/standing.ts'
import type { Page } from '../output/page.ts'
import type { Item } from '../output/views.ts'
import { fetchPage, type PageQuery, usualPageSize } from './page-size.ts'

export interface PageRequest {
  /** Total wanted; undefined with `all` false asks for one page of the service’s own size. */
  limit?: number | undefined
  offset?: number | undefined
  all: boolean
  pageSize?: number | undefined
}

interface PagingOptions {
  request: PageRequest
  /** Field of the body that holds the items. */
  key: string
  /** Field that tells items apart. */
  id: string
  fetch: (query: PageQuery) => Promise<Answer>
  /** What the run has found out about the service. */
  seen: Seen
  /** Told once when more is there than was asked for, or when the service cannot be paged through. */
  notice: (text: string) => Promise<void>
  /** How many pages are on their way while one is printed. */
  ahead?: number
  /** The document pages this list only when asked to: an answer without `paging` holds all of it. */
  isPagedWhenAsked?: boolean
}

/**
 * Pages through a list. Advances by what came back, not by what was asked, so a service that caps `limit` loses
 * nothing; leaves out items that were seen before, as an insertion between two pages repeats some; stops on a page
 * without anything new, as a service that ignores `offset` would repeat forever.
 */
export async function* paginate({
  request,
  key,
  id,
  fetch,
  seen: service,
  notice,
  ahead = 2,
  isPagedWhenAsked = false,
}: PagingOptions): AsyncGenerator<Page> {
  const { limit: wanted, offset: start = 0 } = request
  const many = request.all || wanted !== undefined
  // A list that may come in one piece is asked for by the document, without a limit.
  const isLimited = request.pageSize !== undefined || wanted !== undefined || (many && !isPagedWhenAsked)
  const pageSize = request.pageSize ?? Math.min(wanted ?? usualPageSize, usualPageSize)
  const seen = new Set<string>()
  const asked: { at: number; answer: Promise<Answer> }[] = []
  let offset = start
  let given = 0

  function ask(at: number): { at: number; answer: Promise<Answer> } {
    const limit = wanted === undefined ? pageSize : Math.min(pageSize, wanted - given - (at - offset))
    const query = defined({
      limit: isLimited ? limit : undefined,
      offset: at > 0 || request.offset !== undefined ? at : undefined,
    })
    // A size that the user chose is theirs to change.
    const answer = request.pageSize === undefined ? fetchPage(fetch, query, service) : fetch(query)
    // Its failure is met when its turn comes, which it may never do.
    answer.catch(() => {})
    return { at, answer }
  }

  for (;;) {
    const next = asked.shift() ?? ask(offset)
    const answer = await next.answer
    const plain = isPlain(answer.text)
    const body = (plain ? answer.value : readAnswer(answer)) as Item
    const all = body[key] as Item[]
    const isWhole = isPagedWhenAsked && offset === start && !body['paging']
    // A service that sent the whole list ignored the offset.
    const came = isWhole ? all.slice(start) : all
    // As text: a number that a double cannot hold is an object of its own each time.
    const fresh = came.filter((item) => {
      const before = seen.size
      return seen.add(String(item[id])).size > before
    })
    const items = wanted === undefined ? fresh : fresh.slice(0, wanted - given)
    const whole = offset === start && items.length === all.length
    offset += came.length
    given += items.length
    const total = totalOf(body)
    const done = isWhole || !many || (wanted !== undefined && given >= wanted)
    // A total that was passed is wrong, or items were deleted meanwhile: then only an empty page ends the list.
    const last = came.length === 0 || total === offset
    if (!done && !last && fresh.length > 0) {
      // A page shorter than the one before it: what was asked for behind it is not what follows.
      if (asked[0] && asked[0].at !== offset) asked.length = 0
      const bound = Math.min(total ?? 0, wanted === undefined ? Infinity : offset + wanted - given)
      for (let at = offset + asked.length * came.length; asked.length < ahead; at += came.length) {
        // How many pages there are is known by the total alone.
        if (asked.length > 0 && at >= bound) break
        asked.push(ask(at))
      }
    }
    const { [key]: _, ...rest } = body
    const paging = 'paging' in rest ? { paging: { limit: given, offset: start, ...defined({ total }) } } : {}
    yield { items, plain, rest: { ...rest, ...paging }, ...defined({ whole: whole ? answer : undefined }) }

    if (done) {
      if (!many && total !== undefined && total > offset)
        await notice(`showing ${given} of ${total}; use --all, or --limit and --offset`)
      return
    }
    if (last) return
    if (fresh.length === 0) {
      await notice(
        `warning: the service repeats its answer for offset ${offset - came.length}; the list may be incomplete`,
      )
      return
    }
  }
}

/** The total that an answer tells (section 2.6); undefined when it tells none. */
export function totalOf(body: Item): number | undefined {
  const { total } = (body['paging'] ?? {}) as { total?: unknown }
  // Some services send numbers as text.
  if (typeof total === 'string' && /^\d+$/.test(total)) return Number(total)
  return typeof total === 'number' ? total : undefined
}
