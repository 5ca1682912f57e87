import { IncompleteError } from '../../../errors.ts'
import type { Page } from '../../output/views/page.ts'
import { IdSet } from './id-set.ts'
import { type Incomplete, ListPass, type PagingOptions, type PassEnd, type Verdict } from './list-pass.ts'

const maxPasses = 3

/**
 * Pages through a list and yields each item once. Rereads a list that changes until it is stable.
 * @param what name of the items in errors, such as `rooms` or `members of room r1`
 * @throws {IncompleteError} after the last page, if the list is incomplete
 */
export async function* paginate(options: PagingOptions & { what: string }): AsyncGenerator<Page> {
  const { all, readOnce = false } = options.request
  const yielded = new IdSet()
  let before: PassEnd | undefined
  for (let passes = 1; ; passes++) {
    const end: PassEnd = yield* new ListPass(options, yielded).pages()
    if (!all || readOnce || end.isStable || isSame(end, before))
      return requireComplete(end.verdict, options.what)
    if (passes === maxPasses) return requireComplete(stillChangingError(end, yielded.size), options.what)
    before = end
  }
}

function requireComplete(verdict: Verdict, what: string): void {
  if (!verdict.isComplete) throw new IncompleteError(describeIncomplete(verdict, what), { retryable: true })
}

/** Returns true when a pass confirms the pass before it. */
function isSame({ verdict, end, total, added }: PassEnd, before: PassEnd | undefined): boolean {
  return verdict.isComplete && added === 0 && end === before?.end && end >= total
}

function stillChangingError({ verdict, total }: PassEnd, read: number): Incomplete {
  const reason = `it changed while it was read, ${maxPasses} times in a row`
  return verdict.isComplete ? { isComplete: false, reason, read, total } : verdict
}

/** Formats a message such as `the service listed 100 of 130 rooms`, with the reason. */
function describeIncomplete({ read, total, reason }: Incomplete, what: string): string {
  const counts =
    total !== undefined && total > read
      ? `the service listed ${read} of ${total} ${what}`
      : `the service listed ${read} ${what}, and there may be more`
  return reason === undefined ? counts : `${counts}: ${reason}`
}
