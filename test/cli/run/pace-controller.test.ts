import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPace } from '../../helpers/pace.ts'
import { sized } from '../../suites/size.ts'

type Run = ReturnType<typeof createPace>

interface Service {
  latencyMs: number
  perSecond: (inFlight: number) => number
}

const distant: Service = { latencyMs: 50, perSecond: () => 100_000 }

/** Sends as many requests as the controller allows for `ms` milliseconds; returns the number of responses. */
function keepInFlight({ pace, clock }: Run, { latencyMs, perSecond }: Service, ms: number): number {
  const end = clock.monotonic() + ms
  const responsesAt: number[] = []
  let freeAt = clock.monotonic()
  let responses = 0
  while (clock.monotonic() < end) {
    while (responsesAt.length < pace.concurrency) {
      freeAt = Math.max(freeAt, clock.monotonic()) + 1000 / perSecond(responsesAt.length + 1)
      responsesAt.push(Math.max(freeAt, clock.monotonic() + latencyMs))
    }
    responsesAt.sort((a, b) => a - b)
    clock.moveTo(responsesAt.shift() ?? end)
    pace.onAccepted()
    responses++
  }
  return responses
}

describe('the concurrency of a run', () => {
  test('the initial concurrency of a run is 8', () => {
    expect(createPace().pace.concurrency).toBe(8)
  })

  test('--concurrency fixes the concurrency of a run regardless of throughput and failures', () => {
    const run = createPace({ concurrency: 5 })
    keepInFlight(run, distant, 1000)
    run.pace.onFailure()
    run.pace.onBusy(503, 1000, 0)
    expect([run.pace.concurrency, run.pace.maxConcurrency]).toEqual([5, 5])
  })

  test('the concurrency of a run reaches 64 within 1 s at a latency of 50 ms', () => {
    const run = createPace()
    keepInFlight(run, distant, 1000)
    expect(run.pace.concurrency).toBe(64)
  })

  test('adaptive concurrency achieves more than 90% of the throughput of --concurrency 64', () => {
    expect(keepInFlight(createPace(), distant, 10_000)).toBeGreaterThan(
      0.9 * keepInFlight(createPace({ concurrency: 64 }), distant, 10_000),
    )
  })

  test('the concurrency of a run is mostly 8 if the throughput does not increase with concurrency', () => {
    const run = createPace()
    const service = { latencyMs: 1, perSecond: () => 1000 }
    const seen: number[] = []
    for (let i = 0; i < 300; i++) {
      keepInFlight(run, service, 100)
      seen.push(run.pace.concurrency)
    }
    expect(Math.max(...seen)).toBeLessThanOrEqual(16)
    expect(seen.filter((concurrency) => concurrency === 8).length).toBeGreaterThan(0.8 * seen.length)
  })

  test('a run achieves over 90% of the throughput of a service that slows down above 8 concurrent requests', () => {
    const run = createPace()
    const service = { latencyMs: 1, perSecond: (inFlight: number) => (inFlight > 8 ? 8000 / inFlight : 1000) }
    const responses = keepInFlight(run, service, 30_000)
    expect(run.pace.concurrency).toBeLessThanOrEqual(16)
    expect(responses).toBeGreaterThan(0.9 * 1000 * 30)
  })

  test('the concurrency of a run stops increasing at the maximum throughput of the service', () => {
    const run = createPace()
    const responses = keepInFlight(run, { latencyMs: 50, perSecond: () => 400 }, 20_000)
    expect(run.pace.concurrency).toBeGreaterThanOrEqual(16)
    expect(run.pace.concurrency).toBeLessThanOrEqual(32)
    expect(responses).toBeGreaterThan(0.95 * 400 * 20)
  })

  test('the concurrency of a run decreases if the service becomes slow', () => {
    const run = createPace()
    keepInFlight(run, distant, 2000)
    keepInFlight(run, { latencyMs: 1, perSecond: () => 100 }, 120_000)
    expect(run.pace.concurrency).toBeLessThanOrEqual(16)
  })

  test('the concurrency of a run is unchanged after the process pauses for 1 s', () => {
    const run = createPace()
    keepInFlight(run, distant, 2000)
    run.clock.moveTo(run.clock.monotonic() + 1000)
    keepInFlight(run, distant, 500)
    expect(run.pace.concurrency).toBe(64)
  })

  test('failures within the same second halve the concurrency of a run once', () => {
    const run = createPace()
    keepInFlight(run, distant, 1000)
    for (let i = 0; i < 64; i++) run.pace.onFailure()
    expect(run.pace.concurrency).toBe(32)
    run.clock.moveTo(run.clock.monotonic() + 1000)
    run.pace.onFailure()
    expect(run.pace.concurrency).toBe(16)
    keepInFlight(run, distant, 4000)
    expect(run.pace.concurrency).toBe(64)
  })

  test('the concurrency of a run is an integer from 1 to 64 after any sequence of responses and failures', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            event: fc.constantFrom('response', 'response', 'response', 'failure', 'refusal'),
            count: fc.integer({ min: 1, max: 300 }),
            ms: fc.nat(2000),
          }),
          { maxLength: 60 },
        ),
        (steps) => {
          const { clock, pace } = createPace()
          for (const { event, count, ms } of steps)
            for (let i = 0; i < count; i++) {
              clock.moveTo(clock.monotonic() + ms / count)
              if (event === 'failure') pace.onFailure()
              else if (event === 'refusal') pace.onBusy(429, undefined, 0)
              else pace.onAccepted()
              expect(pace.concurrency).toBeGreaterThanOrEqual(1)
              expect(pace.concurrency).toBeLessThanOrEqual(64)
              expect(Number.isInteger(pace.concurrency)).toBe(true)
            }
        },
      ),
      { numRuns: sized(12, 100) },
    ))
})

/** Calls `start` concurrently; returns the start times, in milliseconds. */
function startAll({ clock }: Run, count: number, start: () => Promise<void> | undefined): number[] {
  const startedAt: number[] = []
  for (let i = 0; i < count; i++) void Promise.resolve(start()).then(() => startedAt.push(clock.monotonic()))
  return startedAt
}

describe('--rate', () => {
  test('--rate starts jobs at equal intervals', async () => {
    const run = createPace({ rate: 10 })
    const startedAt = startAll(run, 5, () => run.pace.startJob())
    await run.clock.run()
    expect(startedAt).toEqual([0, 100, 200, 300, 400])
  })

  test('--rate delays each request of a job except the first', async () => {
    const run = createPace({ rate: 10 })
    await run.pace.startJob()
    const startedAt = startAll(run, 3, () => run.pace.startRequest())
    await run.clock.run()
    expect(startedAt).toEqual([0, 100, 200])
  })

  test('--rate starts jobs at equal intervals after a pause for a busy service', async () => {
    const run = createPace({ rate: 10 })
    const startedAt = startAll(run, 20, () => run.pace.startJob())
    await run.clock.run(250)
    run.pace.onBusy(503, 5000 - run.clock.monotonic(), 0)
    await run.clock.run()
    expect(startedAt).toEqual([0, 100, 200, ...Array.from({ length: 17 }, (_, i) => 5000 + 100 * i)])
  })

  test('--rate prevents a burst of jobs after the process was suspended', async () => {
    const run = createPace({ rate: 10 })
    const startedAt = startAll(run, 20, () => run.pace.startJob())
    await run.clock.run(250)
    run.clock.moveTo(60_000)
    await run.clock.run(60_950)
    expect(startedAt.filter((at) => at >= 60_000).length).toBeLessThanOrEqual(12)
  })
})

describe('a busy service', () => {
  test.each([429, 503])(
    'a %i response delays all later jobs and requests by its Retry-After',
    async (status) => {
      const run = createPace()
      expect([run.pace.startJob(), run.pace.startRequest()]).toEqual([undefined, undefined])
      expect(run.pace.onBusy(status, 700, 0)).toBe(0)
      const startedAt = [
        ...startAll(run, 3, () => run.pace.startJob()),
        ...startAll(run, 3, () => run.pace.startRequest()),
      ]
      await run.clock.run(699)
      expect(startedAt).toEqual([])
      await run.clock.run()
      expect(run.clock.monotonic()).toBe(700)
    },
  )

  test('the pause after a 429 response without Retry-After doubles with each refusal of the request', async () => {
    const run = createPace()
    const pauses: number[] = []
    for (let refusals = 0; refusals < 4; refusals++) {
      const before = run.clock.monotonic()
      run.pace.onBusy(429, undefined, refusals)
      void run.pace.startRequest()
      await run.clock.run()
      pauses.push(run.clock.monotonic() - before)
    }
    expect(pauses).toEqual([200, 400, 800, 1600])
  })

  test('a pause of 10 s for a busy service is announced once, and a pause of less than 5 s is not', () => {
    const { pace, announced } = createPace()
    pace.onBusy(503, 4999, 0)
    for (let i = 0; i < 8; i++) pace.onBusy(503, 10_000, 0)
    expect(announced).toEqual([10])
  })

  test('a run stops if the Retry-After of a busy service exceeds the timeout', () => {
    const { pace } = createPace()
    expect(pace.onBusy(429, 30_001, 0)).toBeUndefined()
    expect(pace.stop.aborted).toBe(true)
  })

  test('a run stops at the second refusal after five pauses without an accepted request', async () => {
    const run = createPace()
    const refuse = () => run.pace.onBusy(429, 1000, 0)
    for (let pause = 1; pause <= 5; pause++) {
      for (let i = 0; i < 8; i++) expect(refuse()).toBe(0)
      run.clock.moveTo(1000 * pause)
    }
    expect([refuse(), run.pace.stop.aborted]).toEqual([undefined, false])
    expect([refuse(), run.pace.stop.aborted]).toEqual([undefined, true])
  })

  test('a run continues if a busy service accepts a request between pauses', () => {
    const run = createPace()
    for (let pause = 1; pause <= 20; pause++) {
      expect(run.pace.onBusy(503, 1000, 0)).toBe(0)
      run.clock.moveTo(1000 * pause)
      run.pace.onAccepted()
    }
    expect(run.pace.stop.aborted).toBe(false)
  })

  test('a request to a busy service fails after its tenth retry', () => {
    const { pace } = createPace()
    expect([pace.onBusy(503, 0, 9), pace.onBusy(503, 0, 10)]).toEqual([0, undefined])
  })

  test('stopping a run ends its pauses for a busy service immediately', async () => {
    const stop = new AbortController()
    const run = createPace({}, stop)
    run.pace.onBusy(503, 20_000, 0)
    const startedAt = startAll(run, 2, () => run.pace.startRequest())
    await run.clock.run(0)
    stop.abort()
    await run.clock.run(0)
    expect(startedAt).toEqual([0, 0])
    expect(run.pace.onBusy(503, 20_000, 0)).toBeUndefined()
  })
})

describe('the learned rate', () => {
  /** Learns 50 requests per second: the service accepts 50 in the second after its first refusal. */
  async function learn(flags = {}): Promise<Run> {
    const run = createPace(flags)
    run.pace.onBusy(429, 0, 0)
    for (let i = 1; i <= 50; i++) {
      run.clock.moveTo(20 * i)
      run.pace.onAccepted()
    }
    run.pace.onBusy(429, 0, 0)
    return run
  }

  /**
   * Sends requests for `seconds` seconds, each accepted immediately; returns the number in the last second.
   */
  async function send(run: Run, seconds: number): Promise<number> {
    const end = run.clock.monotonic() + 1000 * seconds
    let inLastSecond = 0
    const sender = async () => {
      for (;;) {
        await run.pace.startRequest()
        if (run.clock.monotonic() >= end) return
        if (run.clock.monotonic() >= end - 1000) inLastSecond++
        run.pace.onAccepted()
      }
    }
    const senders = [sender(), sender()]
    await run.clock.run()
    await Promise.all(senders)
    return inLastSecond
  }

  test('the learned rate does not delay requests before the service refuses a request', () => {
    const { pace } = createPace()
    for (let i = 0; i < 100; i++) {
      expect(pace.startRequest()).toBeUndefined()
      pace.onAccepted()
    }
  })

  test('the learned rate is 48 to 62 requests per second after the service accepts 50', async () => {
    const rate = await send(await learn(), 1)
    expect(rate).toBeGreaterThanOrEqual(48)
    expect(rate).toBeLessThanOrEqual(62)
  })

  test('the learned rate increases slowly and then faster while the service accepts all requests', async () => {
    const run = await learn()
    const rates = [await send(run, 1), await send(run, 1), await send(run, 2)]
    expect(rates[0]).toBeLessThan(65)
    expect(rates[1]).toBeLessThan(100)
    expect(rates[2]).toBeGreaterThan(120)
  })

  test('two refusals in the same second decrease the learned rate only once, by 3% to 25%', async () => {
    const run = await learn()
    const before = await send(run, 2)
    expect(run.pace.onBusy(429, 1000, 0)).toBe(1000)
    expect(run.pace.onBusy(429, 1000, 0)).toBe(1000)
    const from = run.clock.monotonic()
    void run.pace.startRequest()
    await run.clock.run()
    expect(run.clock.monotonic() - from).toBe(100)
    const after = await send(run, 1)
    expect(after).toBeGreaterThan(0.75 * before)
    expect(after).toBeLessThan(0.97 * before)
  })

  test('a Retry-After of more than 1 s delays the next request regardless of the learned rate', async () => {
    const run = await learn()
    await send(run, 1)
    run.pace.onBusy(429, 1001, 0)
    const from = run.clock.monotonic()
    void run.pace.startRequest()
    await run.clock.run()
    expect(run.clock.monotonic()).toBe(from + 1001)
  })

  test('the learned rate does not decrease after refusals without an accepted request', async () => {
    const run = await learn()
    for (let i = 0; i < 4; i++) {
      run.clock.moveTo(run.clock.monotonic() + 5000)
      expect(run.pace.onBusy(429, 1000, 0)).toBe(0)
    }
    run.clock.moveTo(run.clock.monotonic() + 1000)
    expect(await send(run, 1)).toBeGreaterThanOrEqual(48)
  })

  test('the learned rate spaces the requests of successive jobs at equal intervals', async () => {
    const run = await learn()
    const gaps: number[] = []
    let last = run.clock.monotonic()
    const job = async () => {
      for (let i = 0; i < 3; i++) {
        await run.pace.startJob()
        for (let request = 0; request < 2; request++) {
          await run.pace.startRequest()
          gaps.push(Math.round(run.clock.monotonic() - last))
          last = run.clock.monotonic()
        }
      }
    }
    void job()
    await run.clock.run()
    expect(gaps.slice(1)).toEqual([18, 18, 18, 18, 18])
  })

  test('the learned rate does not exceed --rate', async () => {
    const run = await learn({ rate: 10 })
    const from = run.clock.monotonic()
    const startedAt = startAll(run, 3, () => run.pace.startJob())
    await run.clock.run()
    expect(startedAt.map((at) => at - from)).toEqual([0, 100, 200])
  })
})
