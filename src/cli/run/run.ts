import { setMaxListeners } from 'node:events'
import type { Client } from '../../client/client.ts'
import type { CountedOutcome, Failure, Outcome } from '../../client/outcome.ts'
import {
  type Hint,
  type InterruptedError,
  type MeetroomError,
  NotFoundError,
  ServiceError,
} from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { initialConcurrency, type PaceFlags } from '../kernel/flags.ts'
import { OrderedJobs, readFatal } from './in-order.ts'
import { runJobs, type Work } from './jobs.ts'
import { PaceController } from './pace-controller.ts'
import { PendingProofs } from './pending-proofs.ts'
import { showProgress } from './progress.ts'
import { Tally } from './tally.ts'

export type { Work }

interface RunOptions {
  /** Effect on the items. Destruction has a fixed concurrency. */
  effect?: 'reads' | 'writes' | 'destroys'
  /** Number of items that are known so far. */
  total?: number
  /** Formats the summary, such as `deleted 2 of 3 users; 1 failed`. */
  summarize?: (tally: Tally) => string
  /** True if the caller itself asks for confirmation, so that no request asks again. */
  confirmed?: boolean
  /** True to open the service only at the first request. */
  shows?: boolean
}

/** @throws {MeetroomError} if the service cannot be opened, for example without a key */
export async function openRun(
  context: Context,
  flags: PaceFlags,
  {
    effect = 'reads',
    total = 0,
    summarize = () => '',
    confirmed = false,
    shows = context.flags.curl ?? false,
  }: RunOptions = {},
): Promise<Run> {
  const { failFast, maxErrors = Number.POSITIVE_INFINITY } = flags
  const stop = new AbortController()
  const cut = new AbortController()
  // Each request in flight adds a listener, and too many listeners cause a warning.
  setMaxListeners(0, stop.signal, cut.signal)
  const writes = new PendingWrites()
  stopOnInterrupt(context, { stop, cut, writes })
  const proofs = new PendingProofs(context.interrupt)
  const { timeout } = await context.settings()
  const concurrency = flags.concurrency ?? (effect === 'destroys' ? initialConcurrency : undefined)
  const pace = new PaceController({
    flags: { concurrency, rate: flags.rate },
    ...{ clock: context.host, stop, timeoutMs: timeout.value * 1000 },
    onLongPause: (seconds) => void context.notice(`the service is busy; pausing for ${seconds} s`),
  })
  const client = await context.client({
    connections: pace.maxConcurrency,
    confirmed,
    interrupt: cut.signal,
    cancelUnsent: context.interrupt,
    onRetry: () => pace.onFailure(),
    settle: proofs.add,
    concurrency: () => pace.concurrency,
    pacer: pace,
    onWrite: writes.add,
  })
  if (!shows) await client.ready()
  const tally = new Tally(total, summarize)
  const maxFailures = failFast ? 0 : maxErrors
  return new Run(context, { client, tally, stop, pace, proofs, maxFailures, isUnlimited: effect !== 'reads' })
}

interface RunParts {
  client: Client
  tally: Tally
  stop: AbortController
  pace: PaceController
  proofs: PendingProofs
  maxFailures: number
  isUnlimited: boolean
}

export class Run {
  readonly client: Client
  readonly tally: Tally
  #updateProgress: (() => void) | undefined
  #lastHint: string | undefined
  fatal: MeetroomError | undefined
  readonly #context: Context
  readonly #parts: RunParts

  constructor(context: Context, parts: RunParts) {
    this.#context = context
    this.#parts = parts
    this.client = parts.client
    this.tally = parts.tally
  }

  get concurrency(): number {
    return this.#parts.pace.concurrency
  }

  get maxConcurrency(): number {
    return this.#parts.pace.maxConcurrency
  }

  /** True if no new jobs start. */
  get isStopped(): boolean {
    return this.#parts.stop.signal.aborted
  }

  /** Error for an item that was not tried. */
  get stopReason(): MeetroomError {
    const { aborted, reason } = this.#context.interrupt
    if (aborted) return reason as InterruptedError
    return this.fatal ?? new ServiceError('the service is too busy')
  }

  stop(fatal?: MeetroomError): void {
    this.fatal ??= fatal
    this.#parts.stop.abort()
  }

  /** Stops the run and returns true for a fatal error. */
  stopIfFatal(failure: Failure): boolean {
    const fatal = readFatal(failure)
    if (fatal) this.stop(fatal)
    return fatal !== undefined
  }

  /** Also stops the run after too many failures. */
  count(outcome: CountedOutcome): void {
    const { tally } = this
    tally.add(outcome)
    this.#updateProgress?.()
    // Invalid rows are skipped, so they do not count as failures.
    if (tally.bad - tally.count('invalid') > this.#parts.maxFailures) this.stop()
  }

  async perform<Job>(work: Work<Job>): Promise<void> {
    const { pace, proofs } = this.#parts
    this.#updateProgress ??= showProgress(this.#context, this.tally, pace)
    try {
      await runJobs(work, pace, proofs)
    } finally {
      this.#context.statusLine.clear()
    }
  }

  /**
   * Runs work for each item and yields the outcomes in the order of the items.
   * @param act work for an item; an error becomes the item's outcome
   * @param known returns the outcome of an item that needs no work
   */
  async *each<T, Result>(
    items: AsyncIterable<T> | readonly T[],
    act: (item: T) => Promise<Outcome<Result>>,
    known?: (item: T) => Outcome<Result> | undefined,
  ): AsyncGenerator<readonly [T, Outcome<Result>]> {
    const { isUnlimited } = this.#parts
    for await (const ended of new OrderedJobs(this, items, { act, known, isUnlimited }).outcomes()) {
      // The first fatal error in the order of the items is the same in repeated runs.
      this.fatal ??= readFatal(ended[1])
      yield ended
    }
  }

  /**
   * Reads items and yields the results in their order.
   * @throws the error of the first failed read, or the reason why the run stopped
   */
  async *read<T, Result>(
    items: AsyncIterable<T> | readonly T[],
    read: (item: T) => Promise<Result>,
  ): AsyncGenerator<Result> {
    const act = async (item: T) => ({ status: 'ok', value: await read(item) }) as const
    for await (const [, outcome] of this.each(items, act)) {
      if (outcome.status !== 'ok') throw 'error' in outcome ? outcome.error : this.stopReason
      yield outcome.value
    }
  }

  /**
   * Reports the error of an item, unless the error is fatal. Omits a hint that the previous error has. Messages
   * of missing items and invalid IDs already name the item.
   * @param item name of the item, such as `room 66f1a2b3c4d5e6f708192a3b`
   */
  async report(outcome: CountedOutcome, item: string): Promise<void> {
    if (!('error' in outcome) || readFatal(outcome)) return
    const { error } = outcome
    const isNamed = error instanceof NotFoundError || error.request === undefined
    const hint = JSON.stringify(error.hint)
    const reported = Object.create(error, {
      message: { value: isNamed ? error.message : `${item}: ${error.message}` },
      ...(hint === this.#lastHint && { hint: { value: undefined } }),
    }) as MeetroomError
    this.#lastHint = hint
    await this.#context.reportError(reported)
  }

  /**
   * Determines the result, and may report the error that stopped the run.
   * @returns the command's error; undefined after success
   */
  async finish(hint?: Hint): Promise<MeetroomError | undefined> {
    const { aborted, reason } = this.#context.interrupt
    const { tally } = this
    // A total of zero can mean that the interrupt came before the items were known.
    const isInterrupted = aborted && (!tally.isComplete || tally.total === 0)
    const { reported, error } = tally.ending({
      fatal: this.fatal ?? (isInterrupted ? (reason as InterruptedError) : undefined),
      hint,
    })
    if (reported) await this.#context.reportError(reported)
    return error
  }
}

/** Maximum time for pending writes to finish after an interrupt, in milliseconds. */
const graceMs = 5000
const noticeDelayMs = 1000

/** Writes that an interrupt waits for, because their outcome would otherwise be unknown. */
class PendingWrites {
  #count = 0
  #onNone = () => {}

  readonly add = (write: Promise<unknown>): void => {
    this.#count++
    const onEnd = () => {
      if (--this.#count === 0) this.#onNone()
    }
    write.then(onEnd, onEnd)
  }

  whenNone(work: () => void): void {
    if (this.#count === 0) work()
    else this.#onNone = work
  }
}

/** Cancels all requests after an interrupt when no write is pending, or after five seconds. */
function stopOnInterrupt(
  context: Context,
  { stop, cut, writes }: { stop: AbortController; cut: AbortController; writes: PendingWrites },
): void {
  const { host, interrupt } = context
  const end = () => cut.abort(interrupt.reason)
  const onInterrupt = () => {
    stop.abort()
    writes.whenNone(end)
    if (cut.signal.aborted) return
    const timers = [
      host.after(
        noticeDelayMs,
        () => void context.notice('waiting for pending requests; press ^C again to stop immediately'),
      ),
      host.after(graceMs, end),
    ]
    cut.signal.addEventListener('abort', () => {
      for (const cancelTimer of timers) cancelTimer()
    })
  }
  interrupt.addEventListener('abort', onInterrupt)
  if (interrupt.aborted) onInterrupt()
}
