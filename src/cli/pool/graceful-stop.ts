import type { Context } from '../kernel/context.ts'

/** Maximum time for requests in flight to finish after an interrupt, in milliseconds. */
const graceMs = 5000
/** Delay before the notice about requests in flight, in milliseconds. */
const noticeDelayMs = 1000

interface StopOptions {
  stop: AbortController
  cut: AbortController
  /** True when the requests change nothing. An interrupt then cancels them immediately. */
  isReadOnly: boolean
}

/**
 * Stops a run on interrupt. No new requests start, and requests in flight are canceled after five seconds.
 * @returns a function to call when the run has ended
 */
export function gracefulStop(context: Context, { stop, cut, isReadOnly }: StopOptions): () => void {
  const { host, interrupt } = context
  const timers: (() => void)[] = []
  const onInterrupt = () => {
    stop.abort()
    if (isReadOnly) return cut.abort(interrupt.reason)
    timers.push(
      host.after(
        noticeDelayMs,
        () => void context.notice('waiting for requests under way; press ^C again to stop at once'),
      ),
      host.after(graceMs, () => cut.abort(interrupt.reason)),
    )
  }
  interrupt.addEventListener('abort', onInterrupt)
  if (interrupt.aborted) onInterrupt()
  return () => {
    for (const cancelTimer of timers) cancelTimer()
    interrupt.removeEventListener('abort', onInterrupt)
  }
}
