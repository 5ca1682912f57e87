/** Time, as the live half of the service needs it. Tests pass their own. */
export interface Clock {
  /** Wall clock, in milliseconds since 1970: it may jump. */
  now(): number
  /** Milliseconds since an arbitrary moment: never goes back, never jumps. */
  monotonic(): number
  /** Calls back once, up to 2³¹−1 milliseconds from now. The returned function cancels it. */
  after(ms: number, work: () => void): () => void
}

const longestTimer = 2 ** 31 - 1

/** Like `clock.after`, but without its limit, above which a timer would fire at once. */
export function afterLong(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = () => {}
  const wait = (left: number) => {
    cancel = clock.after(Math.min(left, longestTimer), () =>
      left > longestTimer ? wait(left - longestTimer) : work(),
    )
  }
  wait(Math.max(0, ms))
  return () => cancel()
}

/** Calls back every `ms` milliseconds until the returned function is called. */
export function every(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = clock.after(ms, again)
  function again() {
    cancel = clock.after(ms, again)
    work()
  }
  return () => cancel()
}
