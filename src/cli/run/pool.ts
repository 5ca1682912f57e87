import { setMaxListeners } from 'node:events'
import type { Client } from '../../client/client.ts'
import type { CountedOutcome } from '../../client/outcome.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { PendingWrites, stopOnInterrupt } from './graceful-stop.ts'
import { runJobs, type Work } from './jobs.ts'
import { PaceController } from './pace-controller.ts'
import { PendingProofs } from './pending-proofs.ts'
import { showProgress } from './progress.ts'
import type { Tally } from './tally.ts'

/** Runner for many requests, with limited concurrency and rate. It stops when too many requests fail. */
export interface Pool {
  readonly client: Client
  /** Maximum number of concurrent jobs, which adapts during the run unless `--concurrency` is given. */
  readonly concurrency: number
  /** Highest value that `concurrency` can reach. */
  readonly maxConcurrency: number
  /** True when no new jobs start. */
  readonly isStopped: boolean
  stop(): void
  /** Counts an outcome; too many failures stop the pool. */
  count(outcome: CountedOutcome): void
  /** Runs jobs, and shows a progress bar on a terminal. After an interrupt, requests in flight can still finish. */
  run<Job>(work: Work<Job>): Promise<void>
}

/**
 * Opens a pool, whose concurrency adapts unless `--concurrency` is given.
 * @param tally counts the outcomes
 * @param confirmed true when the caller itself asks for confirmation, so that no request asks again
 * @param shows true when the command may be a preview, which sends no requests and must not run the key command
 * @throws {AuthError or UsageError} when the service or the key is not configured
 */
export async function openPool(
  context: Context,
  flags: PaceFlags,
  tally: Tally,
  { confirmed = false, shows = context.flags.curl ?? false } = {},
): Promise<Pool> {
  const { failFast, maxErrors = Number.POSITIVE_INFINITY } = flags
  const maxFailures = failFast ? 0 : maxErrors
  const stop = new AbortController()
  const cut = new AbortController()
  // Each request in flight adds a listener, and too many listeners cause a warning.
  setMaxListeners(0, stop.signal, cut.signal)
  const writes = new PendingWrites()
  stopOnInterrupt(context, { stop, cut, writes })
  const proofs = new PendingProofs(context.interrupt)
  const { timeout } = await context.settings()
  const pace = new PaceController({
    ...{ flags, clock: context.host, stop, timeoutMs: timeout.value * 1000 },
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
  let updateProgress: (() => void) | undefined
  return {
    client,
    get concurrency() {
      return pace.concurrency
    },
    maxConcurrency: pace.maxConcurrency,
    get isStopped() {
      return stop.signal.aborted
    },
    stop: () => stop.abort(),
    count(outcome) {
      tally.add(outcome)
      updateProgress?.()
      // Invalid rows are skipped, so they do not count as failures.
      if (tally.bad - tally.count('invalid') > maxFailures) stop.abort()
    },
    async run(work) {
      updateProgress ??= showProgress(context, tally, pace)
      try {
        await runJobs(work, pace, proofs)
      } finally {
        context.statusLine.clear()
      }
    },
  }
}
