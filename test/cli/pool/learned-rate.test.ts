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
  rate.onRefused()
  for (let i = 0; i < accepted; i++) {
    clock.pass(ms / accepted)
    rate.onAccepted()
  }
  rate.onRefused()
  return rate
}

const perSecond = (rate: LearnedRate) => Math.round(1000 / rate.gapMs)

describe('the learned rate', () => {
  test('is unlimited until the service refuses a request', () => {
    const rate = new LearnedRate(createClock())
    rate.onAccepted()
    expect(rate.gapMs).toBe(0)
  })

  test('is unlimited after a refusal in the first second', () => {
    expect(learn(createClock(), 8, 20).gapMs).toBe(0)
  })

  test('is slightly below the number of requests that the service accepted in the last second', () => {
    expect(perSecond(learn(createClock(), 100, 2000))).toBe(49)
  })

  test('is measured without the excess time of a pause that is longer than necessary', () => {
    const clock = createClock()
    const rate = learn(clock, 40, 100)
    expect(rate.gapMs).toBe(0)
    clock.pass(1400)
    for (let i = 0; i < 20; i++) rate.onAccepted()
    expect(rate.onRefused()).toBe(false)
    expect(perSecond(rate)).toBe(39)
  })

  test('increases in doubling steps until a refusal, in halved steps after each refusal, and finally by 5% every ten seconds', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    const rates: number[] = []
    const pass = (ms: number) => {
      clock.pass(ms)
      rate.onAccepted()
      rates.push(perSecond(rate))
    }
    for (const ms of [1499, 1, 1500, 1500]) pass(ms)
    expect(rates.splice(0)).toEqual([49, 53, 64, 90])
    for (let i = 0; i < 4; i++) {
      expect(rate.onRefused()).toBe(true)
      pass(1500)
    }
    // The steps halve with each refusal: 20 %, 10 % and 5 %.
    expect(rates.splice(0)).toEqual([77, 70, 67, 64])
    for (const ms of [8499, 1, 9999, 1]) pass(ms)
    expect(rates).toEqual([64, 67, 67, 71])
  })

  test('returns to its previous value if the service refuses a request after an increase', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    clock.pass(1500)
    rate.onAccepted()
    expect(perSecond(rate)).toBe(53)
    expect(rate.onRefused()).toBe(true)
    expect(perSecond(rate)).toBe(49)
  })

  test('decreases by at most a quarter after a refusal', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    clock.pass(1400)
    rate.onAccepted()
    expect(rate.onRefused()).toBe(true)
    expect(1000 / rate.gapMs).toBeCloseTo(36.4, 1)
  })

  test('does not decrease if the service accepts no requests', () => {
    const clock = createClock()
    const rate = learn(clock, 100, 2000)
    for (let i = 0; i < 10; i++) {
      clock.pass(5000)
      expect(rate.onRefused()).toBe(false)
    }
    expect(perSecond(rate)).toBe(49)
  })
})

describe('a rate limiter with a learned rate', () => {
  const never = new AbortController().signal

  test('delays each request by the same interval, and delays the first request of a job only once', async () => {
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

  test('does not exceed --rate even if the learned rate is higher', async () => {
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
