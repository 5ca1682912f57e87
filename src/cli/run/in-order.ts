import { type CountedOutcome, isFatal, type Outcome, toFailure } from '../../client/outcome.ts'
import type { MeetroomError } from '../../errors.ts'
import type { Work } from './jobs.ts'

interface Runner {
  readonly concurrency: number
  readonly maxConcurrency: number
  stop(): void
  count(outcome: Outcome<unknown>): void
  perform<Job>(work: Work<Job>): Promise<void>
}

interface Job<T, Result> {
  item: T
  known: Outcome<Result> | undefined
  next: Job<T, Result> | undefined
  outcome: Promise<Outcome<Result>>
  settle(outcome: Outcome<Result>): void
}

interface OrderOptions<T, Result> {
  act: (item: T) => Promise<Outcome<Result>>
  known?: ((item: T) => Outcome<Result> | undefined) | undefined
  /** True to take items immediately, so that a write that waits for its proof blocks no other write. */
  isUnlimited?: boolean
}

/**
 * Jobs with outcomes in the order of the items. The concurrency limits the queue unless `isUnlimited` is set.
 */
export class OrderedJobs<T, Result> {
  readonly #source: AsyncGenerator<T>
  // Linked list, because removing the first item of a long array can copy all other items.
  #first: Job<T, Result> | undefined
  #last: Job<T, Result> | undefined
  #queued = 0
  #end: { error?: unknown } | undefined
  #broken: { error: unknown } | undefined
  #isClosed = false
  /** True while the consumer waits for the first item of the queue. */
  #isAwaited = false
  #wake = () => {}
  #makeRoom = () => {}

  readonly #runner: Runner
  readonly #items: AsyncIterable<T> | readonly T[]
  readonly #options: OrderOptions<T, Result>

  constructor(runner: Runner, items: AsyncIterable<T> | readonly T[], options: OrderOptions<T, Result>) {
    this.#runner = runner
    this.#items = items
    this.#options = options
    this.#source = iterate(items)
  }

  /**
   * Yields the outcomes. After a stop, remaining array items without a known outcome are unsent.
   * @throws an error of the stream, after the outcomes of earlier items
   */
  async *outcomes(): AsyncGenerator<readonly [T, Outcome<Result>]> {
    const running = this.#run()
    try {
      for (;;) {
        const job = this.#first
        if (job) {
          this.#isAwaited = true
          this.#makeRoom()
          const outcome = job.known ? this.#count(job.known) : await job.outcome
          this.#isAwaited = false
          this.#dequeue(job)
          yield [job.item, outcome]
        } else if (this.#end) break
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
      }
      const failed = 'error' in this.#end ? this.#end : this.#broken
      if (failed) throw failed.error
      if (Array.isArray(this.#items))
        for await (const item of this.#source) {
          const known = this.#options.known?.(item)
          yield [item, known ? this.#count(known) : { status: 'unsent' }]
        }
    } finally {
      // The consumer may have stopped before the last item.
      this.#isClosed = true
      if (!this.#end) this.#runner.stop()
      this.#makeRoom()
      await running
      await this.#source.return(undefined)
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#runner.perform<Job<T, Result>>({
        take: () => this.#take(),
        perform: async ({ item, settle }) =>
          settle(this.#count(await this.#options.act(item).catch(toFailure))),
        putBack: ({ settle }) => settle({ status: 'unsent' }),
      })
      this.#end = {}
    } catch (error) {
      this.#end = { error }
    }
    this.#wake()
  }

  async #take(): Promise<readonly Job<T, Result>[]> {
    const { isUnlimited = false, known } = this.#options
    const jobs: Job<T, Result>[] = []
    while (isUnlimited || jobs.length === 0) {
      while (!isUnlimited && this.#queued >= this.#maxQueued && !this.#isClosed)
        await new Promise<void>((resolve) => {
          this.#makeRoom = resolve
        })
      const next = this.#isClosed
        ? undefined
        : await this.#source.next().catch((error) => {
            this.#broken = { error }
          })
      if (!next || next.done) break
      const job = createJob(next.value, known?.(next.value))
      this.#enqueue(job)
      if (!job.known) jobs.push(job)
    }
    return jobs
  }

  // An item that waits for its retry must not block other items.
  get #maxQueued(): number {
    const { concurrency, maxConcurrency } = this.#runner
    return Math.max(2 * concurrency, this.#isAwaited ? maxConcurrency : 0)
  }

  #enqueue(job: Job<T, Result>): void {
    if (this.#last) this.#last.next = job
    else this.#first = job
    this.#last = job
    this.#queued++
    this.#wake()
  }

  #dequeue({ next }: Job<T, Result>): void {
    this.#first = next
    if (!next) this.#last = undefined
    this.#queued--
    this.#makeRoom()
  }

  #count(outcome: Outcome<Result>): Outcome<Result> {
    this.#runner.count(outcome)
    // The other items would probably fail with the same error.
    if (readFatal(outcome)) this.#runner.stop()
    return outcome
  }
}

export function readFatal(outcome: CountedOutcome): MeetroomError | undefined {
  return 'error' in outcome && isFatal(outcome.error) ? outcome.error : undefined
}

async function* iterate<T>(items: AsyncIterable<T> | readonly T[]): AsyncGenerator<T> {
  yield* items
}

function createJob<T, Result>(item: T, known: Outcome<Result> | undefined): Job<T, Result> {
  let settle: (outcome: Outcome<Result>) => void = () => {}
  const outcome = new Promise<Outcome<Result>>((resolve) => {
    settle = resolve
  })
  return { item, known, next: undefined, outcome, settle }
}
