import { setMaxListeners } from 'node:events'
import type { Client } from '../../client/client.ts'
import type { CountedOutcome } from '../../client/outcome.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { isBusy, withBusyRetry } from './busy-retry.ts'
import { gracefulStop } from './graceful-stop.ts'
import { runJobs, type Work } from './jobs.ts'
import { showProgress } from './progress.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Tally } from './tally.ts'

/** Where many requests are sent: with limited concurrency and rate, until too many fail. */
export interface Pool {
  /** Waits whenever the service is busy. */
  readonly client: Client
  /** How many jobs run at once. */
  readonly concurrency: number
  /** Nothing more is begun. */
  readonly isStopped: boolean
  stop(): void
  /** Counts what became of a job; too many failures stop the pool. */
  count(outcome: CountedOutcome): void
  /** Does jobs, with a progress bar on a terminal. At the user’s interrupt it ends what is under way and begins nothing more. */
  run<Job>(work: Work<Job>): Promise<void>
}

/**
 * @param tally counts what becomes of the jobs
 * @param confirmed the caller asks for confirmation itself, where it is needed
 * @param reads nothing is changed: an interrupt ends it at once
 * @param shows it may be that nothing is sent: no command is run for a key that nobody needs
 * @throws {AuthError | UsageError} when there is no service, or no key to send with
 */
export async function openPool(
  context: Context,
  flags: PaceFlags,
  tally: Tally,
  { confirmed = false, reads = false, shows = context.flags.curl ?? false } = {},
): Promise<Pool> {
  const { concurrency, rate, failFast, maxErrors = Number.POSITIVE_INFINITY } = flags
  const mostFailures = failFast ? 0 : maxErrors
  const stop = new AbortController()
  const cut = new AbortController()
  // Each request under way adds a listener.
  setMaxListeners(0, stop.signal, cut.signal)
  const gate = new RateLimiter(context.host, rate, (seconds) => {
    void context.notice(`the service is busy; pausing for ${seconds} s`)
  })
  const client = await context.client({
    connections: concurrency,
    confirmed,
    interrupt: cut.signal,
    withdrawn: context.interrupt,
    onRetry: ({ status, waitMs }) => {
      // One connection that fails says nothing about the others.
      if (isBusy(status)) gate.hold(waitMs)
    },
  })
  if (!shows) await client.ready()
  const { timeout } = await context.settings()
  let progressed = () => {}
  return {
    client: withBusyRetry(client, {
      ...{ gate, stop: stop.signal, clock: context.host, timeoutMs: timeout.value * 1000 },
      // The next request would be told the same.
      onLongPause: () => stop.abort(),
    }),
    concurrency,
    get isStopped() {
      return stop.signal.aborted
    },
    stop: () => stop.abort(),
    count(outcome) {
      tally.add(outcome)
      progressed()
      // Invalid rows that are skipped do not count as failures.
      if (tally.bad - tally.count('invalid') > mostFailures) stop.abort()
    },
    async run(work) {
      const over = gracefulStop(context, { stop, cut, reads })
      progressed = showProgress(context, tally)
      try {
        await runJobs(work, { concurrency, gate, stop: stop.signal })
      } finally {
        over()
        context.statusLine.clear()
      }
    },
  }
}
