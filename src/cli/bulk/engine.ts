import type { Clock } from '../../api/retry.ts'

export interface Pace {
  /** How many jobs at once. */
  concurrency: number
  /** How many jobs a second are begun at the most. */
  rate?: number | undefined
}

/** A pause that people are told of, in milliseconds. */
const longHoldMs = 5000

/** What people are told of it. */
export function busy(seconds: number): string {
  return `the service is busy; nothing is sent for ${seconds} s`
}

/** Lets jobs begin no faster than the service can take them. */
export class Gate {
  readonly #clock: Clock
  readonly #gapMs: number
  readonly #onHold: (seconds: number) => void
  #opensAt = 0
  #nextAt = 0

  /** @param onHold told when everybody is held back for long, in seconds */
  constructor(clock: Clock, rate: number | undefined, onHold: (seconds: number) => void = () => {}) {
    this.#clock = clock
    this.#onHold = onHold
    this.#gapMs = rate === undefined ? 0 : 1000 / rate
  }

  /** Nothing begins for so long: the service has had enough for now. */
  hold(ms: number): void {
    const opensAt = this.#clock.now() + ms
    // Said once: the others that are under way hear the same.
    if (ms >= longHoldMs && opensAt > this.#opensAt + longHoldMs / 2) this.#onHold(Math.round(ms / 1000))
    this.#opensAt = Math.max(this.#opensAt, opensAt)
  }

  /** Resolves when the next job may begin, or when the signal aborts. */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#gapMs === 0 && this.#opensAt === 0) return undefined
    return this.#wait(signal)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let slot = this.#slot(); !signal.aborted; ) {
      const waitMs = slot - this.#clock.now()
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal).catch(() => {})
      else if (slot >= this.#opensAt) return
      // Held back meanwhile: all that waited would begin at the same moment.
      else slot = this.#slot()
    }
  }

  /** The next moment at which a job may begin. */
  #slot(): number {
    const slot = Math.max(this.#clock.now(), this.#nextAt, this.#opensAt)
    this.#nextAt = slot + this.#gapMs
    return slot
  }
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
