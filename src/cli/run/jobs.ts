import type { PaceController } from './pace-controller.ts'
import type { PendingProofs } from './pending-proofs.ts'

export interface Work<Job> {
  /** Returns the next jobs; an empty list at the end. */
  take(): Promise<readonly Job[]>
  perform(job: Job): Promise<void>
  putBack(job: Job): void
}

/**
 * @param proofs proofs of jobs that do not count as running; read at the latest when no other job can run
 * @throws an error of `perform` or `take`, after all started jobs have ended
 */
export async function runJobs<Job>(
  { take, perform, putBack }: Work<Job>,
  pace: Pick<PaceController, 'concurrency' | 'startJob' | 'stop'>,
  proofs: Pick<PendingProofs, 'count' | 'onAdd' | 'flush'>,
): Promise<void> {
  let failed: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failed ??= { error }
  }
  const isOver = () => pace.stop.aborted || failed !== undefined

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

  let running = 0
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })

  const active = () => running - proofs.count

  function startLoops(): void {
    while (active() < pace.concurrency && !isExhausted && !isOver()) void loop()
  }

  function readProofs(): void {
    if (active() <= 0 && (isExhausted || isOver())) void proofs.flush()
  }

  proofs.onAdd = () => {
    startLoops()
    readProofs()
  }

  async function loop(): Promise<void> {
    running++
    try {
      while (!isOver()) {
        if (started === jobs.length) {
          if (isExhausted) return
          await refill()
          continue
        }
        const wait = pace.startJob()
        const job = jobs[started++] as Job
        if (wait) await wait
        if (isOver()) return putBack(job)
        await perform(job)
        if (active() > pace.concurrency) return
        startLoops()
      }
    } catch (error) {
      fail(error)
    } finally {
      if (--running === 0) settle()
      else readProofs()
    }
  }

  startLoops()
  if (running > 0) await settled
  const unused = await ready.catch(() => [])
  for (const job of [...jobs.slice(started), ...unused]) putBack(job)
  if (failed) throw failed.error
}
