import type { Gate } from './gate.ts'

export interface Pace {
  /** How many jobs at once. */
  concurrency: number
  /** How many jobs a second are begun at the most. */
  rate?: number | undefined
}

interface Run<Job> {
  /** The next few jobs, made ready to be begun; none at the end. */
  take(): Promise<readonly Job[]>
  /** Does a job. What it throws ends the run. */
  perform(job: Job): Promise<void>
  /** A job that was taken and is not begun. */
  putBack?(job: Job): void
  pace: Pace
  gate: Gate
  /** Aborted: nothing more is begun; what is under way is waited for. */
  stop: AbortSignal
}

/**
 * Does jobs, so many at a time. While some are done the next few are made ready, so that making ready costs no time of
 * its own. Throws what `perform` or `take` threw first, once everything that was begun has ended.
 */
export async function runJobs<Job>({ take, perform, putBack, pace, gate, stop }: Run<Job>): Promise<void> {
  let failure: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
  }
  const over = () => stop.aborted || failure !== undefined

  let jobs: readonly Job[] = []
  let begun = 0
  let exhausted = false
  let ready: Promise<readonly Job[]> = over() ? Promise.resolve([]) : take()
  let refilling: Promise<void> | undefined

  /** Waits for the jobs that are made ready, and begins to make the next ready. */
  function refill(): Promise<void> {
    refilling ??= (async () => {
      jobs = await ready
      begun = 0
      exhausted = jobs.length === 0
      ready = exhausted || over() ? Promise.resolve([]) : take()
      // Its failure is met when its turn comes.
      ready.catch(() => {})
    })().finally(() => {
      refilling = undefined
    })
    return refilling
  }

  async function loop(): Promise<void> {
    for (;;) {
      while (begun === jobs.length && !exhausted && !over()) await refill()
      if (exhausted || over()) return
      const wait = gate.pass(stop)
      const job = jobs[begun++] as Job
      if (wait) await wait
      if (over()) return putBack?.(job)
      await perform(job)
    }
  }

  await Promise.all(Array.from({ length: pace.concurrency }, () => loop().catch(fail)))
  if (putBack) {
    const unused = await ready.catch(() => [])
    for (const job of [...jobs.slice(begun), ...unused]) putBack(job)
  }
  if (failure) throw failure.error
}
