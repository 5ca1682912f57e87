import { setMaxListeners } from 'node:events'
import type { Client } from '../../client/client.ts'
import type { CountedOutcome } from '../../client/outcome.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { AdaptiveConcurrency, fixConcurrency } from './adaptive-concurrency.ts'
import { withBusyRetry } from './busy-retry.ts'
import { PendingWrites, stopOnInterrupt } from './graceful-stop.ts'
import { runJobs, type Work } from './jobs.ts'
import { LearnedRate } from './learned-rate.ts'
import { PendingProofs } from './pending-proofs.ts'
import { showProgress } from './progress.ts'
import { RateLimiter } from './rate-limiter.ts'
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
  const { rate, failFast, maxErrors = Number.POSITIVE_INFINITY } = flags
  const maxFailures = failFast ? 0 : maxErrors
  const stop = new AbortController()
  const cut = new AbortController()
  // Each request in flight adds a listener, and too many listeners cause a warning.
  setMaxListeners(0, stop.signal, cut.signal)
  const writes = new PendingWrites()
  stopOnInterrupt(context, { stop, cut, writes })
  const { host } = context
  const concurrency =
    flags.concurrency === undefined ? new AdaptiveConcurrency(host) : fixConcurrency(flags.concurrency)
  const learned = new LearnedRate(host)
  const announce = (seconds: number) => void context.notice(`the service is busy; pausing for ${seconds} s`)
  const limiter = new RateLimiter(host, rate, announce, learned)
  const proofs = new PendingProofs(context.interrupt)
  const { timeout } = await context.settings()
  const client = await context.client({
    connections: concurrency.max,
    confirmed,
    interrupt: cut.signal,
    cancelUnsent: context.interrupt,
    onRetry: () => concurrency.onFailure(),
    settle: proofs.add,
    concurrency: () => concurrency.current,
    pace: (send) =>
      withBusyRetry(send, {
        ...{ limiter, writes, stop: stop.signal, interrupt: context.interrupt },
        ...{ clock: host, timeoutMs: timeout.value * 1000 },
        onResponse() {
          learned.onAccepted()
          concurrency.onResponse(limiter.isLimiting)
        },
        onBusy(status) {
          const isKnown = learned.gapMs > 0
          const pauses = status !== 429 || !learned.onRefused()
          // The rate caused the failures, so the concurrency need not stay lower.
          if (!isKnown && learned.gapMs > 0) concurrency.recover()
          else if (pauses) concurrency.onFailure()
          return pauses
        },
        onHopeless: () => stop.abort(),
      }),
  })
  if (!shows) await client.ready()
  let updateProgress: (() => void) | undefined
  return {
    client,
    get concurrency() {
      return concurrency.current
    },
    maxConcurrency: concurrency.max,
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
      updateProgress ??= showProgress(context, tally, concurrency)
      try {
        await runJobs(work, { concurrency, gate: limiter, stop: stop.signal, proofs })
      } finally {
        context.statusLine.clear()
      }
    },
  }
}
