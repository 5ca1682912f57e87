import { type Outcome, toFailure } from '../../client/outcome.ts'
import type { Work } from './jobs.ts'

/** Runner of the jobs. */
interface Runner {
  readonly concurrency: number
  /** Highest value that `concurrency` can reach. */
  readonly maxConcurrency: number
  stop(): void
  count(outcome: Outcome<unknown>): void
  perform<Job>(work: Work<Job>): Promise<void>
}

interface Job<T, Result> {
  item: T
  outcome: Promise<Outcome<Result>>
  settle(outcome: Outcome<Result>): void
}

interface OrderOptions<T, Result> {
  /** True to run ahead without a limit: a write whose proof waits for the other writes must not block them. */
  isUnlimited?: boolean
  /** Returns the outcome of an item that needs no job. */
  known?: (item: T) => Outcome<Result> | undefined
}

/**
 * Runs a job for each item and yields the outcomes in the order of the items. Unless it is unlimited, it keeps up to
 * twice the concurrency of items in memory; while the first item is not done, up to the maximum concurrency. Throws an
 * error of a stream after the outcomes of its items. When the runner stops, the rest of an array is unsent.
 * @param act runs the job; its error becomes the item's outcome
 */
export async function* runInOrder<T, Result>(
  runner: Runner,
  items: AsyncIterable<T> | readonly T[],
  act: (item: T) => Promise<Outcome<Result>>,
  { isUnlimited = false, known = () => undefined }: OrderOptions<T, Result> = {},
): AsyncGenerator<readonly [T, Outcome<Result>]> {
  const source = iterate(items)
  const queue: Job<T, Result>[] = []
  let end: { error?: unknown } | undefined
  let broken: { error: unknown } | undefined
  let isClosed = false
  /** True while the consumer waits for the first item of the queue. */
  let isAwaited = false
  let wake = () => {}
  let makeRoom = () => {}

  // An item that waits for its retry must not block the others.
  const maxQueued = () =>
    isUnlimited
      ? Number.POSITIVE_INFINITY
      : Math.max(2 * runner.concurrency, isAwaited ? runner.maxConcurrency : 0)

  async function take(): Promise<readonly Job<T, Result>[]> {
    for (;;) {
      while (queue.length >= maxQueued() && !isClosed)
        await new Promise<void>((resolve) => {
          makeRoom = resolve
        })
      const next = isClosed ? undefined : await source.next().catch(breakOff)
      if (!next || next.done) return []
      const job = createJob<T, Result>(next.value)
      queue.push(job)
      wake()
      const outcome = countKnown(next.value)
      if (!outcome) return [job]
      job.settle(outcome)
    }
  }

  function breakOff(error: unknown): undefined {
    broken = { error }
  }

  function countKnown(item: T): Outcome<Result> | undefined {
    const outcome = known(item)
    if (outcome) runner.count(outcome)
    return outcome
  }

  async function perform({ item, settle }: Job<T, Result>): Promise<void> {
    const outcome = await act(item).catch(toFailure)
    runner.count(outcome)
    settle(outcome)
  }

  const running = runner
    .perform({ take, perform, putBack: ({ settle }) => settle({ status: 'unsent' }) })
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
      const [job] = queue
      if (job) {
        isAwaited = true
        makeRoom()
        const outcome = await job.outcome
        isAwaited = false
        queue.shift()
        makeRoom()
        yield [job.item, outcome]
      } else if (end) {
        if ('error' in end) throw end.error
        if (broken) throw broken.error
        break
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    if (Array.isArray(items))
      for await (const item of source) yield [item, countKnown(item) ?? { status: 'unsent' }]
  } finally {
    // The consumer may have stopped before the last item.
    isClosed = true
    if (!end) runner.stop()
    makeRoom()
    await running
    await source.return(undefined)
  }
}

async function* iterate<T>(items: AsyncIterable<T> | readonly T[]): AsyncGenerator<T> {
  yield* items
}

function createJob<T, Result>(item: T): Job<T, Result> {
  let settle: (outcome: Outcome<Result>) => void = () => {}
  const outcome = new Promise<Outcome<Result>>((resolve) => {
    settle = resolve
  })
  return { item, outcome, settle }
}
