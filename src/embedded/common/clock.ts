/** Clocks and timers of the service. Tests pass their own. */
export interface Clock {
  /** Wall clock, in milliseconds since 1970; may jump. */
  now(): number
  /** Milliseconds since an arbitrary moment; never goes back or jumps. */
  monotonic(): number
  /** Runs `work` once, after at most 2³¹−1 milliseconds. The returned function cancels it. */
  after(ms: number, work: () => void): () => void
}

const maxTimerMs = 2 ** 31 - 1

/** Runs `work` once, after any number of milliseconds: `setTimeout` fires immediately above 2³¹−1. */
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
  let cancel = clock.after(ms, tick)
  function tick() {
    cancel = clock.after(ms, tick)
    work()
  }
  return () => cancel()
}
