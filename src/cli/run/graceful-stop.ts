import type { Context } from '../kernel/context.ts'

/** Maximum time for pending writes to finish after an interrupt, in milliseconds. */
const graceMs = 5000
const noticeDelayMs = 1000

/** Writes that an interrupt waits for, because their outcome would otherwise be unknown. */
export class PendingWrites {
  #count = 0
  #onNone = () => {}

  readonly add = (write: Promise<unknown>): void => {
    this.#count++
    const onEnd = () => {
      if (--this.#count === 0) this.#onNone()
    }
    write.then(onEnd, onEnd)
  }

  whenNone(work: () => void): void {
    if (this.#count === 0) work()
    else this.#onNone = work
  }
}

/** Cancels all requests after an interrupt when no write is pending, or after five seconds. */
export function stopOnInterrupt(
  context: Context,
  { stop, cut, writes }: { stop: AbortController; cut: AbortController; writes: PendingWrites },
): void {
  const { host, interrupt } = context
  const end = () => cut.abort(interrupt.reason)
  const onInterrupt = () => {
    stop.abort()
    writes.whenNone(end)
    if (cut.signal.aborted) return
    const timers = [
      host.after(
        noticeDelayMs,
        () => void context.notice('waiting for pending requests; press ^C again to stop immediately'),
      ),
      host.after(graceMs, end),
    ]
    cut.signal.addEventListener('abort', () => {
      for (const cancelTimer of timers) cancelTimer()
    })
  }
  interrupt.addEventListener('abort', onInterrupt)
  if (interrupt.aborted) onInterrupt()
}
