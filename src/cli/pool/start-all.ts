import { type Outcome, toFailure } from '../../client/outcome.ts'
import type { Pool } from './pool.ts'

/**
 * Starts a job for each item in a pool.
 * @param act runs the job; its error becomes the item's outcome
 * @returns the pending outcomes, in the order of the items
 */
export function startAll<T, Result>(
  pool: Pool,
  items: readonly T[],
  act: (item: T) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>>[] {
  const jobs = items.map((item) => {
    let settle: (outcome: Outcome<Result>) => void = () => {}
    const outcome = new Promise<Outcome<Result>>((resolve) => {
      settle = resolve
    })
    return { thing: item, outcome, settle }
  })
  let untaken: readonly (typeof jobs)[number][] = jobs
  void pool
    .run<(typeof jobs)[number]>({
      async take() {
        const taken = untaken
        untaken = []
        return taken
      },
      async perform({ thing: item, settle }) {
        const outcome = await act(item).catch(toFailure)
        pool.count(outcome)
        settle(outcome)
      },
      putBack: ({ settle }) => settle({ status: 'unsent' }),
    })
    // A stopped pool takes no jobs.
    .finally(() => {
      for (const { settle } of untaken) settle({ status: 'unsent' })
    })
  return jobs.map(({ outcome }) => outcome)
}
