import { type Outcome, toFailure } from '../../client/outcome.ts'
import type { Pool } from './pool.ts'

/**
 * Starts a job for each of several items.
 * @param act does it to one; what it throws is a failure of that one
 * @returns what became of each, in their order: some of it is still to come
 */
export function startAll<Thing, Result>(
  pool: Pool,
  things: readonly Thing[],
  act: (thing: Thing) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>>[] {
  const jobs = things.map((thing) => {
    let settle: (outcome: Outcome<Result>) => void = () => {}
    const outcome = new Promise<Outcome<Result>>((resolve) => {
      settle = resolve
    })
    return { thing, outcome, settle }
  })
  let left: readonly (typeof jobs)[number][] = jobs
  void pool
    .run<(typeof jobs)[number]>({
      async take() {
        const taken = left
        left = []
        return taken
      },
      async perform({ thing, settle }) {
        const outcome = await act(thing).catch(toFailure)
        pool.count(outcome)
        settle(outcome)
      },
      putBack: ({ settle }) => settle({ status: 'unsent' }),
    })
    // A pool that was stopped before takes nothing.
    .finally(() => {
      for (const { settle } of left) settle({ status: 'unsent' })
    })
  return jobs.map(({ outcome }) => outcome)
}
