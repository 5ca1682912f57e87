import type { Context } from '../kernel/context.ts'

/** How long what is under way may take when a run is interrupted, in milliseconds. */
const graceMs = 5000
/** After so long people want to know what is waited for, in milliseconds. */
const silentMs = 1000

interface Ends {
  /** Aborted when nothing more may start. */
  stop: AbortController
  /** Aborted when what is under way is to be cut off. */
  cut: AbortController
  /** Nothing is changed, so that nothing is worth waiting for. */
  reads: boolean
}

/**
 * Lets a run end at the user’s interrupt: nothing more is started, and what takes longer than five seconds is cut off.
 * @returns to be called when the run is over
 */
export function gracefulStop(context: Context, { stop, cut, reads }: Ends): () => void {
  const { host, interrupt } = context
  const timers: (() => void)[] = []
  const onInterrupt = () => {
    stop.abort()
    if (reads) return cut.abort(interrupt.reason)
    timers.push(
      host.after(
        silentMs,
        () => void context.notice('waiting for requests under way; press ^C again to stop at once'),
      ),
      host.after(graceMs, () => cut.abort(interrupt.reason)),
    )
  }
  interrupt.addEventListener('abort', onInterrupt)
  if (interrupt.aborted) onInterrupt()
  return () => {
    for (const callOff of timers) callOff()
    interrupt.removeEventListener('abort', onInterrupt)
  }
}
