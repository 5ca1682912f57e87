import type { Answer } from '../api/client.ts'
import { isPlain, readAnswer } from '../api/json.ts'
import type { Page } from './output/printer.ts'
import type { Item } from './output/views.ts'

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
  fetch: (query: { limit?: number; offset?: number }) => Promise<Answer>
  /** Told once when more is there than was asked for, or when the service cannot be paged through. */
  notice: (text: string) => Promise<void>
}

const defaultPageSize = 100

/**
 * Pages through a list. Advances by what came back, not by what was asked, so a service that caps `limit` loses
 * nothing; leaves out items that were seen before, as an insertion between two pages repeats some; stops on a page
 * without anything new, as a service that ignores `offset` would repeat for ever.
 */
export async function* paginate({ request, key, id, fetch, notice }: PagingOptions): AsyncGenerator<Page> {
  const { limit: wanted, offset: start = 0, all } = request
  const many = all || wanted !== undefined
  const pageSize = request.pageSize ?? (wanted === undefined ? defaultPageSize : Math.min(wanted, 1000))
  const seen = new Set<unknown>()
  let offset = start
  let given = 0
  for (;;) {
    const limit = wanted === undefined ? pageSize : Math.min(pageSize, wanted - given)
    const answer = await fetch({
      ...(many || request.pageSize !== undefined ? { limit } : {}),
      ...(offset > 0 || request.offset !== undefined ? { offset } : {}),
    })
    const body = readAnswer(answer) as Item
    const came = body[key] as Item[]
    const fresh = came.filter((item) => !seen.has(item[id]) && seen.add(item[id]))
    const items = wanted === undefined ? fresh : fresh.slice(0, wanted - given)
    const whole = offset === start && items.length === came.length
    offset += came.length
    given += items.length
    const total = totalOf(body)
    const { [key]: _, ...rest } = body
    const paging =
      'paging' in rest
        ? { paging: { limit: given, offset: start, ...(total === undefined ? {} : { total }) } }
        : {}
    yield {
      items,
      plain: isPlain(answer.text),
      rest: { ...rest, ...paging },
      ...(whole ? { whole: answer } : {}),
    }

    if (wanted !== undefined && given >= wanted) return
    if (!many) {
      if (total !== undefined && total > offset)
        await notice(`showing ${given} of ${total}; --all lists all, --limit N and --offset N choose`)
      return
    }
    // A total that has been passed is wrong, or things have gone in the meantime: only an empty page is the end then.
    if (came.length === 0 || total === offset) return
    if (fresh.length === 0) {
      await notice(
        `warning: the service repeats its answer for offset ${offset - came.length}; the list may not be complete`,
      )
      return
    }
  }
}

function totalOf(body: Item): number | undefined {
  const { total } = (body['paging'] ?? {}) as { total?: unknown }
  return typeof total === 'number' ? total : undefined
}
