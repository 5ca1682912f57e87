import { omitUndefined } from '../../../api/defined.ts'
import { IncompleteError } from '../../../errors.ts'
import type { Page } from '../../output/views/page.ts'
import type { Item } from '../../output/views/views.ts'
import type { PagedList } from './paged-list.ts'
import { isLastItem, type Part, type Pass, readPass } from './pass.ts'
import { countExpected, judgeReading, maxPasses, type Verdict } from './whole.ts'

/**
 * Pages through a list and yields each item once. A list that is read to its end is read again until it is whole, three
 * times at most. A command that may write gets the pages only of a whole list, and without the items that have gone.
 * @throws {IncompleteError} after the last page, if the list is incomplete
 */
export async function* paginate(list: PagedList): AsyncGenerator<Page> {
  const { request, serviceFacts, id } = list
  if (!request.all) return yield* readPart(list)
  const isHeld = serviceFacts.mayWrite === true
  const passes: Pass[] = []
  const held: Page[][] = []
  let listed = 0
  let verdict: Verdict = 'again'
  while (verdict === 'again') {
    const isListed = (item: Item) => passes.some(({ ids }) => ids.has(String(item[id])))
    const before = listed
    const pages: Page[] = []
    const parts = readPass(list, passes.length / maxPasses)
    let step = await parts.next()
    for (; !step.done; step = await parts.next()) {
      const { items } = step.value
      const added = passes.length === 0 ? items : items.filter((item) => !isListed(item))
      listed += added.length
      if (isHeld) pages.push(toPage(list, step.value, items, listed))
      else if (passes.length === 0 || added.length > 0) yield toPage(list, step.value, added, listed)
    }
    passes.push(step.value)
    held.push(pages)
    verdict = judgeReading({ passes, listed, added: listed - before, start: request.offset ?? 0, isHeld })
  }
  if (isHeld) yield* selectHeld(list, passes, held, { verdict, listed })
  else await acceptStreamed(list, passes, { verdict, listed })
}

/** Reads one page, or as many as the limit needs. */
async function* readPart(list: PagedList): AsyncGenerator<Page> {
  const { limit, offset = 0 } = list.request
  const parts = readPass(list)
  let count = 0
  let step = await parts.next()
  for (; !step.done; step = await parts.next()) {
    count += step.value.items.length
    yield toPage(list, step.value, step.value.items, count)
  }
  const { total = 0, end, problem } = step.value
  if (problem !== undefined || (limit !== undefined && count < limit && end < total))
    throw createError(list, { listed: offset + count, total, problem })
  if (limit === undefined && total > end)
    await list.notice(`showing ${count} of ${total}; use --all, or --limit and --offset`)
}

interface Outcome {
  verdict: Verdict
  /** Number of different items in all passes. */
  listed: number
}

/** Yields the held pages of a whole list. */
function* selectHeld(
  list: PagedList,
  passes: readonly Pass[],
  held: readonly (readonly Page[])[],
  { verdict, listed }: Outcome,
): Generator<Page> {
  if (verdict !== 'whole') throw createError(list, describe(list, passes, listed))
  yield* held.at(-1) ?? []
  const last = passes.at(-1)
  const expected = countExpected(last?.total, list.request.offset ?? 0) ?? 0
  // Items that only earlier passes show have gone, unless the total counts them.
  if ((last?.ids.size ?? 0) >= expected) return
  for (const [i, pages] of held.slice(0, -1).entries()) {
    const isShownLater = (item: Item) => passes.slice(i + 1).some(({ ids }) => ids.has(String(item[list.id])))
    for (const { whole: _, ...page } of pages)
      yield { ...page, items: page.items.filter((item) => !isShownLater(item)) }
  }
}

/** @throws {IncompleteError} unless the list is whole, or its faults only need a notice */
async function acceptStreamed(
  list: PagedList,
  passes: readonly Pass[],
  { verdict, listed }: Outcome,
): Promise<void> {
  if (verdict === 'whole') return
  const details = describe(list, passes, listed)
  const last = passes.at(-1)
  // A service that limits offsets also fills its pages with repeated items.
  if (verdict === 'repeated' && last && (await isLastItem(list, last, (last.total ?? 0) - 1)))
    return list.notice(
      `the service lists some ${list.what} twice: ${listed} different ones of ${details.total}`,
    )
  if (verdict !== 'short' || !list.serviceFacts.allowsIncomplete) throw createError(list, details)
  await list.notice(`warning: ${formatIncomplete(list, details)}`)
}

interface Details {
  /** Number of items up to the last one. */
  listed: number
  total?: number | undefined
  problem?: string | undefined
}

function describe({ request }: PagedList, passes: readonly Pass[], count: number): Details {
  const { total, problem } = passes.at(-1) ?? {}
  const listed = (request.offset ?? 0) + count
  if (problem !== undefined) return { listed, total, problem }
  const isChanging = passes.every(({ hasChanged }) => hasChanged)
  if (isChanging)
    return { listed, total, problem: `it changed while it was read, ${maxPasses} times in a row` }
  const isRepeating = passes.every(({ hasRepeats }) => hasRepeats)
  return { listed, total, problem: isRepeating ? 'it repeats items' : undefined }
}

function createError(list: PagedList, details: Details): IncompleteError {
  return new IncompleteError(formatIncomplete(list, details), { retryable: true })
}

/** Formats a message such as `the service listed 100 of 130 rooms`, with the reason. */
function formatIncomplete({ what }: PagedList, { listed, total = 0, problem }: Details): string {
  const counts =
    total > listed
      ? `the service listed ${listed} of ${total} ${what}`
      : `the service listed ${listed} ${what}, and there may be more`
  return problem === undefined ? counts : `${counts}: ${problem}`
}

function toPage(list: PagedList, part: Part, items: readonly Item[], limit: number): Page {
  const { answer, body, total, isFirst } = part
  const { [list.key]: _, ...rest } = body
  const paging = { limit, offset: list.request.offset ?? 0, ...omitUndefined({ total }) }
  return {
    items,
    plain: answer.isPlain,
    rest: 'paging' in rest ? { ...rest, paging } : rest,
    ...omitUndefined({ whole: isFirst && items.length === part.items.length ? answer : undefined }),
  }
}
