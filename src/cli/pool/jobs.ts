import type { RateLimiter } from './rate-limiter.ts'

export interface Work<Job> {
  /** Returns the next jobs; an empty list at the end. */
  take(): Promise<readonly Job[]>
  perform(job: Job): Promise<void>
  putBack(job: Job): void
}

interface Pace {
  concurrency: number
  gate: RateLimiter
  stop: AbortSignal
}

/**
 * Runs jobs with limited concurrency, and prepares the next jobs meanwhile. Throws the first error of `perform` or
 * `take` after all started jobs have ended.
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
  let started = 0
  let isExhausted = false
  let ready: Promise<readonly Job[]> = isOver() ? Promise.resolve([]) : take()
  let refilling: Promise<void> | undefined

  function refill(): Promise<void> {
    refilling ??= (async () => {
      jobs = await ready
      started = 0
      isExhausted = jobs.length === 0
      ready = isExhausted || isOver() ? Promise.resolve([]) : take()
      // Awaited later or never; prevents an unhandled rejection.
      ready.catch(() => {})
    })().finally(() => {
      refilling = undefined
    })
    return refilling
  }

  async function loop(): Promise<void> {
    for (;;) {
      while (started === jobs.length && !isExhausted && !isOver()) await refill()
      if (isExhausted || isOver()) return
      const wait = gate.pass(stop)
      const job = jobs[started++] as Job
      if (wait) await wait
      if (isOver()) return putBack(job)
      await perform(job)
    }
  }

  await Promise.all(Array.from({ length: concurrency }, () => loop().catch(fail)))
  const unused = await ready.catch(() => [])
  for (const job of [...jobs.slice(started), ...unused]) putBack(job)
  if (failed) throw failed.error
}
