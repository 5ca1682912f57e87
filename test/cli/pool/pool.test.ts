import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runJobs, type Work } from '../../../src/cli/pool/jobs.ts'
import { PendingProofs } from '../../../src/cli/pool/pending-proofs.ts'
import { RateLimiter } from '../../../src/cli/pool/rate-limiter.ts'

/** A clock on which everybody wakes on time, in order. */
function simulated() {
  let now = 0
  const sleeping: { at: number; wake(): void }[] = []
  return {
    monotonic: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleeping.push({ at: now + ms, wake })),
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

describe('the rate limiter', () => {
  const never = new AbortController().signal

  test('starts jobs at equal intervals if a rate is set', async () => {
    const clock = simulated()
    const gate = new RateLimiter(clock, 10)
    const begun: number[] = []
    for (let i = 0; i < 5; i++) void gate.pass(never)?.then(() => begun.push(clock.monotonic()))
    await clock.run()
    expect(begun).toEqual([0, 100, 200, 300, 400])
  })

  test('has the same rate after a pause', async () => {
    const clock = simulated()
    const gate = new RateLimiter(clock, 10)
    const begun: number[] = []
    for (let i = 0; i < 20; i++) void gate.pass(never)?.then(() => begun.push(clock.monotonic()))
    await clock.run(250)
    gate.hold(5000 - clock.monotonic())
    await clock.run()
    expect(begun.slice(0, 3)).toEqual([0, 100, 200])
    const after = begun.slice(3)
    expect(after).toHaveLength(17)
    for (const [i, at] of after.entries()) {
      expect(at).toBeGreaterThanOrEqual(5000)
      if (i > 0) expect(at - Number(after[i - 1])).toBeGreaterThanOrEqual(100)
    }
  })

  test('starts all jobs concurrently if no rate is set', async () => {
    const clock = simulated()
    const gate = new RateLimiter(clock, undefined)
    expect(gate.pass(never)).toBeUndefined()
    gate.hold(700)
    const begun: number[] = []
    for (let i = 0; i < 3; i++) void gate.pass(never)?.then(() => begun.push(clock.monotonic()))
    await clock.run()
    expect(begun).toEqual([700, 700, 700])
  })
})

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** So many turns of the event loop, or none. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

test('the pool either runs or returns every job, exactly once', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        batches: fc.array(fc.record({ jobs: fc.integer({ min: 1, max: 9 }), turns: fc.nat(3) }), {
          maxLength: 8,
        }),
        slow: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
        concurrency: fc.integer({ min: 1, max: 12 }),
        failsAt: fc.option(fc.nat(60)),
        takeFailsAt: fc.option(fc.nat(9)),
        stopsAt: fc.option(fc.nat(60)),
      }),
      async ({ batches, slow, concurrency, failsAt, takeFailsAt, stopsAt }) => {
        const stop = new AbortController()
        const seen: string[] = []
        let taken = 0
        let atOnce = 0
        let most = 0
        let calls = 0
        const clock = { monotonic: () => 0, sleep: turn }
        const work: Work<number> = {
          async take() {
            const call = calls++
            await turns(batches[call]?.turns ?? 0)
            if (call === takeFailsAt) throw new Error('take')
            return Array.from({ length: batches[call]?.jobs ?? 0 }, () => taken++)
          },
          async perform(job) {
            most = Math.max(most, ++atOnce)
            if (job === stopsAt) stop.abort()
            await turns(slow[job % slow.length] ?? 0)
            atOnce--
            seen.push(`performed ${job}`)
            if (job === failsAt) throw new Error('perform')
          },
          putBack: (job) => void seen.push(`put back ${job}`),
        }
        const pace = {
          concurrency: { current: concurrency },
          gate: new RateLimiter(clock, undefined),
          stop: stop.signal,
          proofs: new PendingProofs(stop.signal),
        }
        const ended = await runJobs(work, pace).then(
          () => 'done',
          (error) => error.message,
        )
        const all = batches.reduce((sum, { jobs }) => sum + jobs, 0)
        const performed = seen
          .filter((line) => line.startsWith('performed'))
          .map((line) => line.split(' ')[1])
        expect(seen.map((line) => Number(line.split(' ').at(-1))).sort((a, b) => a - b)).toEqual(
          Array.from({ length: taken }, (_, i) => i),
        )
        expect(most).toBeLessThanOrEqual(concurrency)
        expect(atOnce).toBe(0)
        const failed = performed.includes(String(failsAt))
        if (failed) expect(['perform', 'take']).toContain(ended)
        if (!stop.signal.aborted && ended === 'done') expect(performed).toHaveLength(all)
      },
    ),
  ))
