import { omitUndefined } from '../../../api/defined.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { Item } from '../../output/views/views.ts'
import { IdSet } from './id-set.ts'
import { isRound, readOffset, readTotal } from './list-total.ts'
import { PageRequests } from './page-requests.ts'
import { type PagedList, readItems } from './paged-list.ts'

/** Facts about one reading of a list. */
export interface Pass {
  readonly ids: IdSet
  /** Last total; undefined if the service sends none, or one that its items exceed. */
  total?: number | undefined
  isTotalWrong: boolean
  /** True when the total changed between two pages, or the last item moved. */
  hasChanged: boolean
  hasRepeats: boolean
  /** Offset after the last item. */
  end: number
  /** Last item of the last page. */
  last?: Item | undefined
  /** Reason why no pass can read the whole list. */
  problem?: string
}

/** Page of a list, without the items that its pass has read before. */
export interface Part {
  answer: ResponseBody
  body: Item
  items: readonly Item[]
  /** True for the first page if `items` are all items of the response. */
  isFirst: boolean
  total: number | undefined
}

/**
 * Yields the pages of a list from its start to its end, or to the requested limit.
 * @param shift share of the first page that is read again, so that the other pages begin at other items
 */
export async function* readPass(list: PagedList, shift = 0): AsyncGenerator<Part, Pass> {
  const { request, id } = list
  const { offset: start = 0, limit = Infinity } = request
  const isLong = request.all || request.limit !== undefined
  const requests = new PageRequests(list)
  const pass: Pass = {
    ...{ ids: new IdSet(), isTotalWrong: false, hasChanged: false, hasRepeats: false, end: start },
  }
  let first: readonly Item[] | undefined
  let longest = 0
  let repeatedPages = 0
  for (let offset = start; ; ) {
    const missing = limit - pass.ids.size
    const answer = await requests.next(offset, { missing, total: pass.total })
    if (!answer) return pass
    const body = readResponseValue(answer) as Item
    const all = (body[list.key] ?? []) as readonly Item[]
    const isFirst = first === undefined
    const mayBeUnpaged = isFirst && list.isPagedWhenAsked && !body['paging']
    const isUnpaged = mayBeUnpaged && all.length !== requests.pageSize
    // A service that sends the whole list instead of a page ignores the offset.
    const received = isUnpaged ? all.slice(start) : all
    const fresh = received.filter((item) => pass.ids.add(String(item[id])))
    const total = readTotal(body)
    first ??= received
    const problem = isFirst
      ? !isUnpaged && (await explainOffset(list, body, first[0]))
      : fresh.length === 0 && (await explainRepeat(list, pass, { offset, received, first }))
    if (problem) return { ...pass, problem }

    repeatedPages = isFirst || fresh.length > 0 ? 0 : repeatedPages + 1
    const isBehind = repeatedPages > 1 || (repeatedPages === 1 && (pass.total ?? 0) <= offset)
    if (!isBehind) {
      pass.end = offset + received.length
      pass.last = received.at(-1) ?? pass.last
      pass.hasRepeats ||= fresh.length < received.length
    }
    if (isFirst || received.length > 0) recordTotal(pass, total, start)
    const isFull = received.length >= Math.min(requests.pageSize, longest || Infinity) || isRound(total)
    const isEnd = isBehind || received.length === 0 || (total === pass.end && !isFull)
    const isLast = isEnd || isUnpaged || !isLong || pass.ids.size >= limit
    longest = Math.max(longest, received.length)
    offset = pass.end - (isFirst ? Math.floor(received.length * shift) : 0)
    if (!isLast) requests.fill(offset, { missing: limit - pass.ids.size, total: pass.total }, received.length)
    const items = fresh.slice(0, Math.max(0, missing))
    // If an empty page confirms the end, the page before it may be the whole response.
    if (!isBehind || pass.total !== pass.end)
      yield { answer, body, items, isFirst: isFirst && items.length === all.length, total }
    if (isLast) return pass
  }
}

function recordTotal(pass: Pass, total: number | undefined, start: number): void {
  if (total === undefined || pass.isTotalWrong) return
  pass.hasChanged ||= (pass.total ?? total) !== total
  pass.total = total
  if (pass.ids.size === 0 || total >= Math.min(pass.end, start + pass.ids.size)) return
  // A total below the number of items counts something else.
  Object.assign(pass, { isTotalWrong: true, hasChanged: false, total: undefined })
}

/** Explains a first page that begins at another offset than the requested one. */
async function explainOffset(
  list: PagedList,
  body: Item,
  first: Item | undefined,
): Promise<string | undefined> {
  const { offset: start = 0 } = list.request
  const reported = readOffset(body)
  if (start === 0 || first === undefined || reported === undefined || reported === start) return undefined
  // Some services honor the offset but report another one.
  const [item] = await fetchItem(list, 0)
  return isSame(list, item, first) ? `it ignored offset ${start} and began at the first item` : undefined
}

/**
 * Explains a page without new items; undefined if it is behind the end of the list, for which some services send the
 * last page or the first page again.
 */
async function explainRepeat(
  list: PagedList,
  pass: Pass,
  { offset, received, first }: { offset: number; received: readonly Item[]; first: readonly Item[] },
): Promise<string | undefined> {
  if (received.length === 0) return undefined
  const problem = `it repeats its response for offset ${offset}`
  const isFirstPage = isSame(list, received[0], first[0]) && pass.ids.size === first.length
  if ((pass.total ?? 0) > pass.end) return isFirstPage ? problem : undefined
  const items = await fetchItem(list, pass.end - 1)
  // A service that ignores `limit` and the offset sends the whole list.
  if (items.length > 1 && items.length === first.length) return undefined
  const isLastThere = isSame(list, items[0], pass.last)
  pass.hasRepeats = true
  // With a total, the number of items decides.
  pass.hasChanged ||= !isLastThere && pass.total === undefined
  return isFirstPage && !isLastThere ? problem : undefined
}

/** Checks whether the item at an offset is the last one that a pass has shown there, when it is requested alone. */
export async function isLastItem(list: PagedList, { last }: Pass, offset: number): Promise<boolean> {
  const [item] = await fetchItem(list, offset)
  return isSame(list, item, last)
}

/** Requests the item at an offset. A service that ignores or refuses `limit` sends more. */
async function fetchItem({ key, fetch, serviceFacts }: PagedList, offset: number): Promise<readonly Item[]> {
  const limit = serviceFacts.pageSize === 0 ? undefined : 1
  return readItems(key, await fetch(omitUndefined({ limit, offset })))
}

// IDs are compared as text, because a large number is a new object in each response.
function isSame({ id }: PagedList, a: Item | undefined, b: Item | undefined): boolean {
  return a !== undefined && b !== undefined && String(a[id]) === String(b[id])
}
