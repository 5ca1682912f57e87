import { IncompleteError } from '../../../errors.ts'
import type { Page } from '../../output/views/page.ts'
import { type Incomplete, ListPass, type PagingOptions, type PassEnd, type Verdict } from './list-pass.ts'

/** Maximum number of times that a list is read which changes meanwhile. */
const mostPasses = 3

/**
 * Pages through a list, each item once. A list that changes while it is read is read again until it stays the same.
 * @param what the items in the words of an error: `rooms`, or `members of room r1`
 * @throws {IncompleteError} behind the last page, when the list was not read to its end
 */
export async function* paginate(options: PagingOptions & { what: string }): AsyncGenerator<Page> {
  const verdict = yield* readList(options)
  if (!verdict.isComplete) throw new IncompleteError(inWords(verdict, options.what), { retryable: true })
}

async function* readList(options: PagingOptions): AsyncGenerator<Page, Verdict> {
  const { all, readOnce = false } = options.request
  const given = new Set<string>()
  let before: PassEnd | undefined
  for (let passes = 1; ; passes++) {
    const end: PassEnd = yield* new ListPass(options, given).pages()
    if (!all || readOnce || end.isStable || isSame(end, before)) return end.verdict
    if (passes === mostPasses) return stillChanging(end, given.size)
    before = end
  }
}

/** Whether a pass found what the pass before it had found. */
function isSame({ verdict, end, total, added }: PassEnd, before: PassEnd | undefined): boolean {
  return verdict.isComplete && added === 0 && end === before?.end && end >= total
}

function stillChanging({ verdict, total }: PassEnd, read: number): Incomplete {
  const reason = `it changed while it was read, ${mostPasses} times in a row`
  return verdict.isComplete ? { isComplete: false, reason, read, total } : verdict
}

/** `the service listed 100 of 130 rooms`, and the reason. */
function inWords({ read, total, reason }: Incomplete, what: string): string {
  const counts =
    total !== undefined && total > read
      ? `the service listed ${read} of ${total} ${what}`
      : `the service listed ${read} ${what}, and there may be more`
  return reason === undefined ? counts : `${counts}: ${reason}`
}
