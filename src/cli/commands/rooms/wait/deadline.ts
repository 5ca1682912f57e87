import type { Host } from '../../../../host.ts'

export interface Deadline {
  readonly wholeMs: number
  leftMs(): number
}

export function createDeadline(clock: Pick<Host, 'monotonic'>, wholeMs: number): Deadline {
  const end = clock.monotonic() + wholeMs
  return { wholeMs, leftMs: () => Math.max(0, end - clock.monotonic()) }
}
