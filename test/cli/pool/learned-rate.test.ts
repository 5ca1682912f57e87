import { describe, expect, test } from 'vitest'
import { LearnedRate } from '../../../src/cli/pool/learned-rate.ts'
import { RateLimiter } from '../../../src/cli/pool/rate-limiter.ts'

function createClock() {
  let now = 5
  const clock = {
    monotonic: () => now,
    sleep: async (ms: number) => clock.pass(ms),
    pass(ms: number) {
      now += ms
    },
  }
  return clock
}

function learn(clock: ReturnType<typeof createClock>, accepted: number, ms: number): LearnedRate {
  const rate = new LearnedRate(clock)
  rate.onAccepted()
  for (let i = 0; i < accepted; i++) {
    clock.pass(ms / accepted)
    rate.onAccepted()
  }
  rate.onRefused()
  return rate
}

const perSecond = (rate: LearnedRate) => Math.round(1000 / rate.gapMs)

describe('the learned rate', () => {
  test('is unknown until the service refuses a request', () => {
    const rate = new LearnedRate(createClock())
    rate.onAccepted()
    expect(rate.gapMs).toBe(0)
  })

  test('is unknown after a refusal in the first second', () => {
    expect(learn(createClock(), 8, 20).gapMs).toBe(0)
  })

  test('is just below the rate that was accepted in the last second', () => {
    expect(perSecond(learn(createClock(), 100, 2000))).toBe(48)
  })

  test('rises by 5 % every ten seconds', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    for (const expected of [50, 53, 56]) {
      clock.pass(9999)
      rate.onAccepted()
      const before = perSecond(rate)
      clock.pass(1)
      rate.onAccepted()
      expect(perSecond(rate)).toBe(expected)
      expect(before).toBeLessThan(expected)
    }
  })

  test('falls by half at most after a refusal', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    clock.pass(2000)
    rate.onAccepted()
    rate.onRefused()
    expect(1000 / rate.gapMs).toBeCloseTo(24, 0)
  })

  test('does not fall while the service accepts nothing', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    for (let i = 0; i < 10; i++) {
      clock.pass(5000)
      rate.onRefused()
    }
    expect(perSecond(rate)).toBe(48)
  })
})

describe('a rate limiter with a learned rate', () => {
  const never = new AbortController().signal

  test('paces requests, and gives the slot of a job to its first request', async () => {
    const clock = createClock()
    const limiter = new RateLimiter(clock, undefined, undefined, { gapMs: 20 })
    const at: number[] = []
    for (let job = 0; job < 3; job++) {
      await limiter.pass(never)
      for (let request = 0; request < 2; request++) {
        await limiter.passRequest(never)
        at.push(clock.monotonic() - 5)
      }
    }
    expect(at).toEqual([0, 20, 40, 60, 80, 100])
  })

  test('does not exceed --rate', async () => {
    const clock = createClock()
    const limiter = new RateLimiter(clock, 10, undefined, { gapMs: 20 })
    const at: number[] = []
    for (let job = 0; job < 3; job++) {
      await limiter.pass(never)
      at.push(clock.monotonic() - 5)
    }
    expect(at).toEqual([0, 100, 200])
  })
})
