import { type Outcome, toFailure } from '../../client/outcome.ts'
import type { Pool } from './pool.ts'

interface Job<Thing, Result> {
  thing: Thing
  outcome: Promise<Outcome<Result>>
  settle(outcome: Outcome<Result>): void
}

/**
 * Does something to each of the things of a stream, such as the pages of a list, and tells what became of each in their order.
 * However many there are, only a few are under way or wait for whoever uses them.
 * @param act does it to one; what it throws is a failure of that one
 */
export async function* eachInTurn<Thing, Result>(
  pool: Pool,
  things: AsyncIterable<Thing> | Iterable<Thing>,
  act: (thing: Thing) => Promise<Outcome<Result>>,
): AsyncGenerator<readonly [Thing, Outcome<Result>]> {
  const source = iterate(things)
  const begun: Job<Thing, Result>[] = []
  let end: { error?: unknown } | undefined
  let isClosed = false
  /** Something has begun, or all has ended. */
  let wake = () => {}
  /** There is room for more. */
  let makeRoom = () => {}

  async function take(): Promise<readonly Job<Thing, Result>[]> {
    while (begun.length >= 2 * pool.concurrency && !isClosed)
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    const next = isClosed ? undefined : await source.next()
    if (!next || next.done) return []
    const job = jobOf<Thing, Result>(next.value)
    begun.push(job)
    wake()
    return [job]
  }

  const running = pool
    .run({
      take,
      async perform({ thing, settle }) {
        const outcome = await act(thing).catch(toFailure)
        pool.count(outcome)
        settle(outcome)
      },
      putBack: ({ settle }) => settle({ status: 'unsent' }),
    })
    .then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    .then((ended) => {
      end = ended
      wake()
    })

  try {
    for (;;) {
      const [job] = begun
      if (job) {
        const outcome = await job.outcome
        begun.shift()
        makeRoom()
        yield [job.thing, outcome]
      } else if (end) {
        if ('error' in end) throw end.error
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    // Whoever uses the outcomes may have had enough.
    isClosed = true
    if (!end) pool.stop()
    makeRoom()
    await running
    await source.return(undefined)
  }
}

async function* iterate<Thing>(things: AsyncIterable<Thing> | Iterable<Thing>): AsyncGenerator<Thing> {
  yield* things
}

function jobOf<Thing, Result>(thing: Thing): Job<Thing, Result> {
  let settle: (outcome: Outcome<Result>) => void = () => {}
  const outcome = new Promise<Outcome<Result>>((resolve) => {
    settle = resolve
  })
  return { thing, outcome, settle }
}
