import type { RateLimiter } from './rate-limiter.ts'

/** What there is to do. */
export interface Work<Job> {
  /** The next few jobs, ready to start; none at the end. */
  take(): Promise<readonly Job[]>
  /** Does a job. What it throws ends the run. */
  perform(job: Job): Promise<void>
  /** A job that was taken but not started. */
  putBack(job: Job): void
}

/** Concurrency and pace. */
interface Pace {
  /** How many jobs at once. */
  concurrency: number
  /** Says when the next may begin. */
  gate: RateLimiter
  /** Aborted: nothing more is started; requests under way finish. */
  stop: AbortSignal
}

/**
 * Runs jobs with limited concurrency. The next few are prepared meanwhile, so that preparation takes no time of
 * its own. Throws what `perform` or `take` threw first, once every started job has ended.
 */
export async function runJobs<Job>(
  { take, perform, putBack }: Work<Job>,
  { concurrency, gate, stop }: Pace,
): Promise<void> {
  let failed: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failed ??= { error }
  }
  const isOver = () => stop.aborted || failed !== undefined

  let jobs: readonly Job[] = []
  let begun = 0
  let isExhausted = false
  let ready: Promise<readonly Job[]> = isOver() ? Promise.resolve([]) : take()
  let refilling: Promise<void> | undefined

  /** Waits for the prepared jobs, and starts preparing the next. */
  function refill(): Promise<void> {
    refilling ??= (async () => {
      jobs = await ready
      begun = 0
      isExhausted = jobs.length === 0
      ready = isExhausted || isOver() ? Promise.resolve([]) : take()
      // Awaited later, or never: avoid an unhandled rejection.
      ready.catch(() => {})
    })().finally(() => {
      refilling = undefined
    })
    return refilling
  }

  async function loop(): Promise<void> {
    for (;;) {
      while (begun === jobs.length && !isExhausted && !isOver()) await refill()
      if (isExhausted || isOver()) return
      const wait = gate.pass(stop)
      const job = jobs[begun++] as Job
      if (wait) await wait
      if (isOver()) return putBack(job)
      await perform(job)
    }
  }

  await Promise.all(Array.from({ length: concurrency }, () => loop().catch(fail)))
  const unused = await ready.catch(() => [])
  for (const job of [...jobs.slice(begun), ...unused]) putBack(job)
  if (failed) throw failed.error
}
