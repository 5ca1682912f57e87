import { omitUndefined } from '../../../api/defined.ts'
import { IncompleteError } from '../../../errors.ts'
import type { Page } from '../../output/views/page.ts'
import type { Item } from '../../output/views/views.ts'
import { defaultPageSize } from './page-size.ts'
import type { PagedList } from './paged-list.ts'
import { isLastItem, type Part, type Pass, readPass } from './pass.ts'
import { countExpected, judgeReading, maxPasses, type Verdict } from './whole.ts'

/**
 * Yields items of a list without repeats. With `all`, reads up to `maxPasses` times until the list is whole.
 * @throws {IncompleteError} at the end, if the list is incomplete and not accepted
 */
export async function* paginate(list: PagedList): AsyncGenerator<Page> {
  const { request, serviceFacts, id } = list
  const { all, offset: start = 0 } = request
  if (!all) return yield* readPart(list)
  const isHeld = serviceFacts.mayWrite === true
  const held = new Map<string, Item>()
  const passes: Pass[] = []
  const isListed = (item: Item) => passes.some(({ ids }) => ids.has(String(item[id])))
  let listed = 0
  let verdict: Verdict
  do {
    const before = listed
    const pass = yield* mapParts(readPass(list, passes.length / maxPasses), (part) => {
      const added = part.items.filter((item) => !isListed(item))
      listed += added.length
      if (isHeld) for (const item of part.items) held.set(String(item[id]), item)
      const isPrinted = !isHeld && (passes.length === 0 || added.length > 0)
      return isPrinted ? toPage(list, part, added, listed) : undefined
    })
    passes.push(pass)
    verdict = judgeReading({ passes, listed, added: listed - before, start, isHeld })
  } while (verdict === 'again')
  if (verdict !== 'whole') await acceptFaults(list, passes, listed, verdict)
  if (isHeld) yield* selectHeld(held, passes, start)
}

async function* readPart(list: PagedList): AsyncGenerator<Page> {
  const { limit, offset = 0 } = list.request
  let count = 0
  const pass = yield* mapParts(readPass(list), (part) => {
    count += part.items.length
    return toPage(list, part, part.items, count)
  })
  const { total = 0, end, problem } = pass
  if (problem !== undefined || (limit !== undefined && count < limit && end < total))
    throw createError(list, offset + count, total, problem)
  if (limit === undefined && total > end)
    await list.notice(`showing ${count} of ${total}; use --all, or --limit and --offset`)
}

async function* mapParts(
  parts: AsyncGenerator<Part, Pass>,
  toPage: (part: Part) => Page | undefined,
): AsyncGenerator<Page, Pass> {
  for (;;) {
    const step = await parts.next()
    if (step.done) return step.value
    const page = toPage(step.value)
    if (page) yield page
  }
}

function toPage({ key, request }: PagedList, part: Part, items: readonly Item[], limit: number): Page {
  const { response, body, total, isFirst } = part
  const { [key]: _, ...rest } = body
  const paging = { limit, offset: request.offset ?? 0, ...omitUndefined({ total }) }
  return {
    items,
    plain: response.isPlain,
    rest: 'paging' in rest ? { ...rest, paging } : rest,
    ...omitUndefined({ whole: isFirst && items.length === part.items.length ? response : undefined }),
  }
}

function* selectHeld(
  held: ReadonlyMap<string, Item>,
  passes: readonly Pass[],
  start: number,
): Generator<Page> {
  const { ids, total } = passes.at(-1) ?? {}
  // Items that only earlier passes contain no longer exist, unless the total counts them.
  const isLastWhole = (ids?.size ?? 0) >= (countExpected(total, start) ?? 0)
  const items = [...held].flatMap(([id, item]) => (!isLastWhole || ids?.has(id) ? [item] : []))
  const rest = { paging: { total: items.length } }
  for (let at = 0; at === 0 || at < items.length; at += defaultPageSize)
    yield { items: items.slice(at, at + defaultPageSize), rest }
}

/** @throws {IncompleteError} unless a command that only reads can use the list */
async function acceptFaults(
  list: PagedList,
  passes: readonly Pass[],
  count: number,
  verdict: Verdict,
): Promise<void> {
  const { request, serviceFacts, what } = list
  const last = passes.at(-1)
  const { total = 0, problem } = last ?? {}
  const listed = (request.offset ?? 0) + count
  const isChanging = passes.every(({ hasChanged }) => hasChanged)
  const reason =
    problem ??
    (isChanging ? `the list changed while it was read, ${maxPasses} times in a row` : undefined) ??
    (passes.every(({ hasRepeats }) => hasRepeats) ? 'the list repeats items' : undefined)
  if (serviceFacts.mayWrite || !last) throw createError(list, listed, total, reason)
  // A service that limits offsets also fills its pages with repeated items.
  if (verdict === 'repeated' && (await isLastItem(list, last, total - 1)))
    return list.notice(`the service lists some ${what} twice: ${listed} of ${total} are distinct`)
  const error = createError(list, listed, total, reason)
  if (verdict !== 'short' || !serviceFacts.allowsIncomplete) throw error
  await list.notice(`warning: ${error.message}`)
}

function createError({ what }: PagedList, listed: number, total: number, reason = ''): IncompleteError {
  const counts =
    total > listed
      ? `the service listed ${listed} of ${total} ${what}`
      : `the service listed ${listed} ${what}, and there may be more`
  return new IncompleteError(reason === '' ? counts : `${counts}: ${reason}`, { retryable: true })
}
