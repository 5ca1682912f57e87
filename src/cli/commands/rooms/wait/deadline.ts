import type { Host } from '../../../../host.ts'

/** When a wait is over, however it goes. */
export interface Deadline {
  /** How long it lasts, in milliseconds. */
  readonly wholeMs: number
  /** How much of that is left, in milliseconds; never below 0. */
  leftMs(): number
}

export function deadlineIn(clock: Pick<Host, 'monotonic'>, wholeMs: number): Deadline {
  const end = clock.monotonic() + wholeMs
  return { wholeMs, leftMs: () => Math.max(0, end - clock.monotonic()) }
}
