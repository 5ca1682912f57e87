import { PaceController } from '../../src/cli/run/pace-controller.ts'

/** Creates a clock on which sleepers wake in the order of their times. */
function createSimulatedClock() {
  let now = 0
  const sleeping: { at: number; wake(): void }[] = []
  return {
    monotonic: () => now,
    random: () => 1,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const abort = () => reject(signal?.reason)
        signal?.addEventListener('abort', abort)
        const wake = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        sleeping.push({ at: now + ms, wake })
      }),
    moveTo(at: number) {
      now = Math.max(now, at)
    },
    async run(until = Number.POSITIVE_INFINITY) {
      for (;;) {
        for (let i = 0; i < 50; i++) await Promise.resolve()
        sleeping.sort((a, b) => a.at - b.at)
        if (!sleeping[0] || sleeping[0].at > until) return
        const { at, wake } = sleeping.shift() as (typeof sleeping)[0]
        now = at
        wake()
      }
    },
  }
}

export function createPace(
  flags: { concurrency?: number; rate?: number } = {},
  stop = new AbortController(),
) {
  const clock = createSimulatedClock()
  const announced: number[] = []
  const pace = new PaceController({
    ...{ flags, clock, stop, timeoutMs: 30_000 },
    onLongPause: (seconds) => announced.push(seconds),
  })
  return { pace, clock, announced }
}
