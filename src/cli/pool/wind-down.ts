import { setMaxListeners } from 'node:events'
import type { Context } from '../context.ts'

/** How long what is under way may take when a run is interrupted, in milliseconds. */
const graceMs = 5000
/** After so long people want to know what is waited for, in milliseconds. */
const silentMs = 1000

/**
 * Lets a run end at the user’s interrupt: nothing more is begun, and what takes longer than five seconds is cut off.
 * @param stop aborted when nothing more is to be begun
 * @returns the signal that cuts off, and what to call when the run is over
 */
export function windDown(context: Context, stop: AbortController): { cut: AbortSignal; over(): void } {
  const { host, interrupt } = context
  const cut = new AbortController()
  // Everything under way listens.
  setMaxListeners(0, cut.signal, stop.signal)
  const timers: (() => void)[] = []
  const onInterrupt = () => {
    stop.abort()
    timers.push(
      host.after(silentMs, () => void context.notice('waiting for what is under way; ^C leaves at once')),
      host.after(graceMs, () => cut.abort(interrupt.reason)),
    )
  }
  interrupt.addEventListener('abort', onInterrupt)
  if (interrupt.aborted) onInterrupt()
  return {
    cut: cut.signal,
    over() {
      for (const callOff of timers) callOff()
      interrupt.removeEventListener('abort', onInterrupt)
    },
  }
}
