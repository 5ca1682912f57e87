import type { TestHost } from './host.ts'
import { latch } from './waiting.ts'

/** Waits for turns of the event loop, so that pending callbacks run. */
export async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Makes `monotonic` of a host advance to the end of the earliest sleep after some event-loop turns. */
export function stillTime(host: TestHost): void {
  let now = 0
  let sleepers: { at: number; wake: () => void }[] = []
  let ticking = false
  const tick = async () => {
    ticking = true
    while (sleepers.length > 0) {
      await turns(20)
      now = Math.min(...sleepers.map(({ at }) => at))
      const awake = sleepers.filter(({ at }) => at <= now)
      sleepers = sleepers.filter(({ at }) => at > now)
      for (const { wake } of awake) wake()
      await turns(20)
    }
    ticking = false
  }
  host.monotonic = () => now
  host.sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      sleepers.push({ at: now + ms, wake: resolve })
      if (!ticking) void tick()
    })
}

/** Holds the first sleep until `wake` is called or a second sleep begins. Other sleeps end immediately. */
export function oneSleeper(host: TestHost): { slept: number[]; wake(): void } {
  const slept: number[] = []
  const { open: wake, opened: awake } = latch()
  host.sleep = (ms) => {
    if (slept.push(ms) > 1) wake()
    return awake
  }
  return { slept, wake }
}
