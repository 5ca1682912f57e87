import { omitUndefined } from '../../../api/defined.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { Item } from '../../output/views/views.ts'
import { isRound, readOffset, readTotal } from './list-total.ts'
import { PageRequests } from './page-requests.ts'
import { type PagedList, readItems } from './paged-list.ts'

export interface Pass {
  readonly ids: Set<string>
  /** Last total; undefined if the service sends no total, or more items than its total. */
  total?: number | undefined
  isTotalWrong: boolean
  /** True if the total changed between two pages or, without a total, if the last item moved. */
  hasChanged: boolean
  hasRepeats: boolean
  /** Offset after the last item. */
  end: number
  /** Item before `end`. */
  last?: Item | undefined
  /** Reason why no pass can read the whole list. */
  problem?: string
}

/** Page of a list, without the items that the pass has already read. */
export interface Part {
  response: ResponseBody
  body: Item
  items: readonly Item[]
  /** True for the first page if `items` are all items of the response. */
  isFirst: boolean
  total: number | undefined
}

interface ReceivedPage {
  body: Item
  /** Number of items in the response. */
  sent: number
  /** Items at and after the requested offset. */
  items: readonly Item[]
  total: number | undefined
  /** True if the service sent the whole list instead of a page. */
  isUnpaged: boolean
}

/** @param shift share of the first page that is read again, so that the other pages begin at other items */
export async function* readPass(list: PagedList, shift = 0): AsyncGenerator<Part, Pass> {
  const { offset: start = 0, limit = Infinity } = list.request
  const hasOnePage = !list.request.all && list.request.limit === undefined
  const requests = new PageRequests(list)
  const pass: Pass = {
    ...{ ids: new Set(), isTotalWrong: false, hasChanged: false, hasRepeats: false, end: start },
  }
  let first: ReceivedPage | undefined
  let longest = 0
  let repeatedPages = 0
  for (let offset = start; ; ) {
    const missing = limit - pass.ids.size
    const response = await requests.next(offset, { missing, total: pass.total })
    if (!response) return pass
    const page = first ? readLaterPage(list, response) : readFirstPage(list, response, requests.pageSize)
    const fresh = page.items.filter((item) => isAdded(pass.ids, String(item[list.id])))
    const isFirst = first === undefined
    first ??= page
    const problem = isFirst
      ? await explainOffset(list, page)
      : fresh.length === 0 &&
        (await explainRepeat(list, pass, { offset, received: page.items, first: first.items }))
    if (problem) return { ...pass, problem }

    repeatedPages = isFirst || fresh.length > 0 ? 0 : repeatedPages + 1
    // Some services repeat pages after the end of the list.
    const isBehind = repeatedPages > 1 || (repeatedPages === 1 && (pass.total ?? 0) <= offset)
    if (!isBehind) recordItems(pass, page.items, fresh, offset)
    if (isFirst || page.items.length > 0) recordTotal(pass, page.total, start)
    // A full page or a round total does not prove the end, because services may limit totals.
    const isFull =
      page.items.length >= Math.min(requests.pageSize, longest || Infinity) || isRound(page.total)
    const isEnd = isBehind || page.items.length === 0 || (page.total === pass.end && !isFull)
    const isLast = isEnd || page.isUnpaged || hasOnePage || pass.ids.size >= limit
    longest = Math.max(longest, page.items.length)
    offset = pass.end - (isFirst ? Math.floor(page.items.length * shift) : 0)
    const remaining = { missing: limit - pass.ids.size, total: pass.total }
    if (!isLast) requests.fill(offset, remaining, page.items.length)
    // A page that only confirms the total is not yielded, so that a single response is printed unchanged.
    if (!isBehind || pass.total !== pass.end) {
      const items = fresh.slice(0, Math.max(0, missing))
      const isWhole = isFirst && items.length === page.sent
      yield { response, body: page.body, items, isFirst: isWhole, total: page.total }
    }
    if (isLast) return pass
  }
}

function isAdded(ids: Set<string>, id: string): boolean {
  const before = ids.size
  return ids.add(id).size > before
}

function readLaterPage({ key }: PagedList, response: ResponseBody): ReceivedPage {
  const body = readResponseValue(response) as Item
  const items = (body[key] ?? []) as readonly Item[]
  return { body, sent: items.length, items, total: readTotal(body), isUnpaged: false }
}

function readFirstPage(list: PagedList, response: ResponseBody, pageSize: number): ReceivedPage {
  const page = readLaterPage(list, response)
  const mayBeUnpaged = list.isPagedWhenAsked && !page.body['paging']
  if (!mayBeUnpaged || page.items.length === pageSize) return page
  // A service that sends the whole list instead of a page ignores the offset.
  return { ...page, items: page.items.slice(list.request.offset ?? 0), isUnpaged: true }
}

function recordItems(pass: Pass, items: readonly Item[], fresh: readonly Item[], offset: number): void {
  pass.end = offset + items.length
  pass.last = items.at(-1) ?? pass.last
  pass.hasRepeats ||= fresh.length < items.length
}

function recordTotal(pass: Pass, total: number | undefined, start: number): void {
  if (total === undefined || pass.isTotalWrong) return
  pass.hasChanged ||= (pass.total ?? total) !== total
  pass.total = total
  if (pass.ids.size === 0 || total >= Math.min(pass.end, start + pass.ids.size)) return
  Object.assign(pass, { isTotalWrong: true, hasChanged: false, total: undefined })
}

async function explainOffset(
  list: PagedList,
  { body, items: [first], isUnpaged }: ReceivedPage,
): Promise<string | undefined> {
  const { offset: start = 0 } = list.request
  const reported = readOffset(body)
  if (isUnpaged || start === 0 || first === undefined || reported === undefined || reported === start)
    return undefined
  // Some services honor the offset but report another offset.
  const [item] = await fetchItem(list, 0)
  return isSame(list, item, first) ? `it ignored offset ${start} and began at the first item` : undefined
}

/** Returns the problem of a page without new items, if any. After the end, some services repeat a page. */
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
  // With a total, the number of items determines the completeness of the list.
  pass.hasChanged ||= !isLastThere && pass.total === undefined
  return isFirstPage && !isLastThere ? problem : undefined
}

/** Returns true if a separate request for the item at an offset returns the last item of a pass. */
export async function isLastItem(list: PagedList, { last }: Pass, offset: number): Promise<boolean> {
  const [item] = await fetchItem(list, offset)
  return isSame(list, item, last)
}

/** Requests the item at an offset. A service that ignores or refuses `limit` sends more items. */
async function fetchItem({ key, fetch, serviceFacts }: PagedList, offset: number): Promise<readonly Item[]> {
  const limit = serviceFacts.pageSize === 0 ? undefined : 1
  return readItems(key, await fetch(omitUndefined({ limit, offset })))
}

// IDs are compared as text, because a large number is a new object in each response.
function isSame({ id }: PagedList, a: Item | undefined, b: Item | undefined): boolean {
  return a !== undefined && b !== undefined && String(a[id]) === String(b[id])
}
