import { describe, expect, test } from 'vitest'
import type { WireRequest, WireResponse } from '../../../src/api/wire.ts'
import { createImportWorld, roomsCsv, usersCsv } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { stillTime } from '../../helpers/still-time.ts'
import { answer } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

const world = perTest(createImportWorld)
const perSecond = 50
const rows = 2000

/** Returns true if a request at this time, in milliseconds, is within the limit. */
type Limit = (at: number) => boolean

function allowPerWindow(): Limit {
  let second = 0
  let used = 0
  return (at) => {
    if (Math.floor(at / 1000) !== second) used = 0
    second = Math.floor(at / 1000)
    return used++ < perSecond
  }
}

function allowInLastSecond(): Limit {
  let accepted: number[] = []
  return (at) => {
    accepted = accepted.filter((earlier) => earlier > at - 1000)
    return accepted.length < perSecond && accepted.push(at) > 0
  }
}

function allowBursts(size: number): Limit {
  let tokens = size
  let filledAt = 0
  return (at) => {
    tokens = Math.min(size, tokens + ((at - filledAt) * perSecond) / 1000)
    filledAt = at
    if (tokens < 1) return false
    tokens--
    return true
  }
}

interface Figures {
  /** Duration of the run. */
  seconds: number
  requests: number
  /** Number of requests refused after the first second. */
  refusedLate: number
}

/** Responds to the creation of a user without storing it, because storage is slow. */
function confirmUser({ method, url, body = '' }: WireRequest): WireResponse | undefined {
  return method === 'POST' && url.endsWith('/users') ? answer(200, { user: JSON.parse(body) }) : undefined
}

// The clock advances only while the program or the service waits.
async function importInto(
  argv: readonly string[],
  isAllowed: Limit,
  headers: Record<string, string>,
  latencyMs: number,
): Promise<Figures> {
  const { host, done } = world.start([...argv, '--no-journal', '-q'])
  stillTime(host)
  const figures = { seconds: 0, requests: 0, refusedLate: 0 }
  world.intercept = async (request, next) => {
    const now = host.monotonic()
    const allowed = isAllowed(now)
    figures.requests++
    if (!allowed && now >= 1000) figures.refusedLate++
    if (latencyMs > 0) await host.sleep(latencyMs)
    return allowed ? (confirmUser(request) ?? next()) : answer(429, {}, headers)
  }
  expect(await done).toMatchObject({ code: 0, stderr: '' })
  return { ...figures, seconds: host.monotonic() / 1000 }
}

const retryAfter = { 'retry-after': '1' }

const limits: [string, () => Limit, maxRatio: number][] = [
  ['per fixed window of 1 s', allowPerWindow, 1.15],
  ['per sliding window of 1 s', allowInLastSecond, 1.15],
  ['per second with bursts of 5', () => allowBursts(5), 1.25],
  ['per second with bursts of 20', () => allowBursts(20), 1.15],
  ['per second with bursts of 100', () => allowBursts(100), 1.05],
]

const answers: [string, Record<string, string>, latencyMs: number][] = [
  ['with Retry-After', retryAfter, 0],
  ['without Retry-After', {}, 0],
  ['with Retry-After, latency of 50 ms', retryAfter, 50],
  ['without Retry-After, latency of 50 ms', {}, 50],
]

describe.each(limits)('users import with a rate limit of 50 requests %s', (name, limit, maxRatio) => {
  const index = limits.findIndex(([each]) => each === name)

  test.each(share(answers, index, answers.length))(
    `users import nearly reaches a rate limit of 50 requests ${name} (429 %s)`,
    async (_what, headers, latencyMs) => {
      world.file('in.csv', usersCsv(rows))
      const argv = ['users', 'import', 'in.csv', '--if-exists', 'overwrite']
      const { seconds, requests, refusedLate } = await importInto(argv, limit(), headers, latencyMs)
      expect(requests - refusedLate).toBeGreaterThanOrEqual(rows)
      expect(refusedLate / requests).toBeLessThanOrEqual(0.03)
      expect(seconds / ((rows - perSecond) / perSecond)).toBeLessThanOrEqual(maxRatio)
    },
  )
})

test('rooms import creates each room once on a service with a rate limit of 50 requests per second', async () => {
  world.file('in.csv', roomsCsv(500))
  await importInto(['rooms', 'import', 'in.csv'], allowPerWindow(), retryAfter, 0)
  expect(await world.rooms()).toHaveLength(500)
  expect(new Set(await world.rooms()).size).toBe(500)
})

test('users import adapts to a rate limit that decreases from 50 to 25 requests per second', async () => {
  world.file('in.csv', usersCsv(rows))
  const argv = ['users', 'import', 'in.csv', '--if-exists', 'overwrite']
  const window = { second: 0, used: 0 }
  const isAllowed: Limit = (at) => {
    const second = Math.floor(at / 1000)
    if (second !== window.second) Object.assign(window, { second, used: 0 })
    return window.used++ < (second < 20 ? 50 : 25)
  }
  const { seconds, requests, refusedLate } = await importInto(argv, isAllowed, {}, 0)
  expect(refusedLate / requests).toBeLessThanOrEqual(0.1)
  // 20 s for the first half of the rows, and 40 s for the second half.
  expect(seconds / 60).toBeLessThanOrEqual(1.15)
})
