import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AdaptiveConcurrency } from '../../../src/cli/pool/adaptive-concurrency.ts'

/** A service that answers after a latency, and answers at most so many requests a second. */
interface Service {
  latencyMs: number
  perSecond: number
}

function createClock() {
  let now = 0
  return {
    monotonic: () => now,
    moveTo(at: number) {
      now = Math.max(now, at)
    },
  }
}

/** Keeps as many requests in flight as the controller says; returns how many were answered. */
function run(
  control: AdaptiveConcurrency,
  clock: ReturnType<typeof createClock>,
  service: Service,
  ms: number,
): number {
  const end = clock.monotonic() + ms
  const answersAt: number[] = []
  let freeAt = clock.monotonic()
  let answered = 0
  const send = () => {
    freeAt = Math.max(freeAt, clock.monotonic()) + 1000 / service.perSecond
    answersAt.push(Math.max(freeAt, clock.monotonic() + service.latencyMs))
  }
  while (clock.monotonic() < end) {
    while (answersAt.length < control.current) send()
    answersAt.sort((a, b) => a - b)
    clock.moveTo(answersAt.shift() ?? end)
    control.onResponse()
    answered++
  }
  return answered
}

function start() {
  const clock = createClock()
  return { clock, control: new AdaptiveConcurrency(clock) }
}

describe('the adaptive concurrency', () => {
  test('starts at 8', () => {
    expect(start().control.current).toBe(8)
  })

  test('reaches 64 within a second on a service with 50 ms of latency', () => {
    const { clock, control } = start()
    run(control, clock, { latencyMs: 50, perSecond: 100_000 }, 1000)
    expect(control.current).toBe(64)
  })

  test('stays at 8 on a service whose throughput does not increase', () => {
    const { clock, control } = start()
    run(control, clock, { latencyMs: 1, perSecond: 1000 }, 30_000)
    expect(control.current).toBe(8)
  })

  test('stops increasing if the service reaches its maximum throughput', () => {
    const { clock, control } = start()
    const answered = run(control, clock, { latencyMs: 50, perSecond: 400 }, 20_000)
    expect(control.current).toBeGreaterThanOrEqual(16)
    expect(control.current).toBeLessThanOrEqual(32)
    expect(answered).toBeGreaterThan(400 * 20 * 0.95)
  })

  test('does not change if the process pauses for a second', () => {
    const { clock, control } = start()
    const service = { latencyMs: 50, perSecond: 100_000 }
    run(control, clock, service, 2000)
    clock.moveTo(clock.monotonic() + 1000)
    run(control, clock, service, 2000)
    expect(control.current).toBe(64)
  })

  test('is 64 most of the time even if the machine pauses at random', () => {
    const { clock, control } = start()
    const service = { latencyMs: 50, perSecond: 100_000 }
    let seed = 1
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    let atMaximum = 0
    for (let i = 0; i < 500; i++) {
      run(control, clock, service, 300 * random())
      clock.moveTo(clock.monotonic() + 400 * random() * random())
      if (control.current === 64) atMaximum++
    }
    expect(atMaximum / 500).toBeGreaterThan(0.8)
  })

  test('is halved only once if all requests in flight fail, and then increases again', () => {
    const { clock, control } = start()
    const service = { latencyMs: 50, perSecond: 100_000 }
    run(control, clock, service, 1000)
    for (let i = 0; i < 64; i++) control.onFailure()
    expect(control.current).toBe(32)
    control.onFailure()
    expect(control.current).toBe(16)
    run(control, clock, service, 4000)
    expect(control.current).toBe(64)
  })

  test('is always from 1 to 64', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            event: fc.constantFrom('response', 'response', 'response', 'failure'),
            count: fc.integer({ min: 1, max: 300 }),
            ms: fc.nat(2000),
          }),
          { maxLength: 60 },
        ),
        (steps) => {
          const { clock, control } = start()
          for (const { event, count, ms } of steps)
            for (let i = 0; i < count; i++) {
              clock.moveTo(clock.monotonic() + ms / count)
              if (event === 'failure') control.onFailure()
              else control.onResponse()
              expect(control.current).toBeGreaterThanOrEqual(1)
              expect(control.current).toBeLessThanOrEqual(64)
            }
        },
      ),
    ))
})
