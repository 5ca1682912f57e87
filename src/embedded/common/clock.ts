/** `tick`: periodic work, which runs only once after the clock jumps. */
export type TimerKind = 'tick'

export interface Clock {
  /** Returns the wall-clock time, which can jump, in milliseconds since 1970. */
  now(): number
  /** Returns the monotonic time: milliseconds since an arbitrary moment. */
  monotonic(): number
  /** Runs `work` after `ms` milliseconds, at most 2³¹−1. Returns a function that cancels the timer. */
  after(ms: number, work: () => void, kind?: TimerKind): () => void
}

const maxTimerMs = 2 ** 31 - 1

/**
 * Runs `work` after `ms` milliseconds, even beyond the limit of `setTimeout`.
 * @returns a function that cancels the timer
 */
export function startLongTimer(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = () => {}
  const wait = (left: number) => {
    cancel = clock.after(Math.min(left, maxTimerMs), () =>
      left > maxTimerMs ? wait(left - maxTimerMs) : work(),
    )
  }
  wait(Math.max(0, ms))
  return () => cancel()
}

export function startInterval(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = clock.after(ms, tick, 'tick')
  function tick() {
    cancel = clock.after(ms, tick, 'tick')
    work()
  }
  return () => cancel()
}
