import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runJobs, type Work } from '../../../src/cli/run/jobs.ts'
import { PendingProofs } from '../../../src/cli/run/pending-proofs.ts'
import { createPace } from '../../helpers/pace.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

test('runJobs performs or puts back each taken job exactly once', () =>
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
        const { pace } = createPace({ concurrency }, stop)
        const ended = await runJobs(work, pace, new PendingProofs(stop.signal)).then(
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
