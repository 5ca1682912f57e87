import { type Outcome, toFailure } from '../../client/outcome.ts'
import type { Context } from '../kernel/context.ts'
import type { Pool } from './pool.ts'

interface Job<T, Result> {
  item: T
  outcome: Promise<Outcome<Result>>
  settle(outcome: Outcome<Result>): void
}

/**
 * Runs a job for each item of a stream and yields the outcomes in the order of the items. Keeps up to twice the pool's
 * concurrency of items in memory; while the first item is not done, up to the pool's maximum concurrency. Throws an
 * error of the stream after the outcomes of its items.
 * @param act runs the job; its error becomes the item's outcome
 */
export async function* runInOrder<T, Result>(
  pool: Pool,
  items: AsyncIterable<T> | Iterable<T>,
  act: (item: T) => Promise<Outcome<Result>>,
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
  const maxQueued = () => Math.max(2 * pool.concurrency, isAwaited ? pool.maxConcurrency : 0)

  async function take(): Promise<readonly Job<T, Result>[]> {
    while (queue.length >= maxQueued() && !isClosed)
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    const next = isClosed ? undefined : await source.next().catch(breakOff)
    if (!next || next.done) return []
    const job = createJob<T, Result>(next.value)
    queue.push(job)
    wake()
    return [job]
  }

  function breakOff(error: unknown): undefined {
    broken = { error }
  }

  const running = pool
    .run({
      take,
      perform: (job) => perform(pool, job, act),
      putBack,
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
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    // The consumer may have stopped before the last item.
    isClosed = true
    if (!end) pool.stop()
    makeRoom()
    await running
    await source.return(undefined)
  }
}

/** Reads items in a pool and yields the results in their order. The first failed read ends the iteration. */
export async function* readInOrder<T, Result>(
  context: Context,
  pool: Pool,
  items: AsyncIterable<T> | Iterable<T>,
  read: (item: T) => Promise<Result>,
): AsyncGenerator<Result> {
  const act = async (item: T) => ({ status: 'ok', value: await read(item) }) as const
  for await (const [, outcome] of runInOrder(pool, items, act)) {
    if (outcome.status !== 'ok') throw 'error' in outcome ? outcome.error : context.interrupt.reason
    yield outcome.value
  }
}

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
  const jobs = items.map((item) => createJob<T, Result>(item))
  let untaken: readonly Job<T, Result>[] = jobs
  void pool
    .run<Job<T, Result>>({
      async take() {
        const taken = untaken
        untaken = []
        return taken
      },
      perform: (job) => perform(pool, job, act),
      putBack,
    })
    // A pool that is already stopped takes no jobs; report these jobs as unsent.
    .finally(() => untaken.forEach(putBack))
  return jobs.map(({ outcome }) => outcome)
}

async function* iterate<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items
}

function createJob<T, Result>(item: T): Job<T, Result> {
  let settle: (outcome: Outcome<Result>) => void = () => {}
  const outcome = new Promise<Outcome<Result>>((resolve) => {
    settle = resolve
  })
  return { item, outcome, settle }
}

async function perform<T, Result>(
  pool: Pool,
  { item, settle }: Job<T, Result>,
  act: (item: T) => Promise<Outcome<Result>>,
): Promise<void> {
  const outcome = await act(item).catch(toFailure)
  pool.count(outcome)
  settle(outcome)
}

function putBack<T, Result>({ settle }: Job<T, Result>): void {
  settle({ status: 'unsent' })
}
