import { describe, expect, test } from 'vitest'
import { createImportWorld, usersCsv } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { turns } from '../../helpers/still-time.ts'
import { answer } from '../../helpers/world.ts'

const world = perTest(createImportWorld)
const importing = ['users', 'import', 'in.csv', '--if-exists', 'overwrite', '--no-journal']

/** Answers each request a moment later; returns the highest number of requests in flight. */
function watchInFlight(latencyMs: number) {
  const seen = { inFlight: 0, most: 0 }
  let elapsed = 0
  world.intercept = async (_request, next) => {
    seen.most = Math.max(seen.most, ++seen.inFlight)
    await turns(3)
    elapsed += latencyMs / seen.inFlight
    const response = await next()
    seen.inFlight--
    return response
  }
  return { seen, monotonic: () => elapsed }
}

describe('a run over many items', () => {
  test('has up to 64 requests in flight on a distant service', async () => {
    world.file('in.csv', usersCsv(2000))
    const { seen, monotonic } = watchInFlight(50)
    const { host, done } = world.start(importing)
    host.monotonic = monotonic
    expect(await done).toMatchObject({ code: 0 })
    expect(seen.most).toBe(64)
  })

  test('has as many requests in flight as --concurrency says', async () => {
    world.file('in.csv', usersCsv(500))
    const { seen, monotonic } = watchInFlight(50)
    const { host, done } = world.start([...importing, '--concurrency', '5'])
    host.monotonic = monotonic
    expect(await done).toMatchObject({ code: 0 })
    expect(seen.most).toBe(5)
  })

  test('sends one request after another with --concurrency 1, in the order of the rows', async () => {
    world.file('in.csv', usersCsv(50))
    const { seen } = watchInFlight(50)
    expect(await world.run([...importing, '--concurrency', '1'])).toMatchObject({ code: 0 })
    expect(seen.most).toBe(1)
    expect(world.requests.map(({ body = '' }) => JSON.parse(body).user_id)).toEqual(
      Array.from({ length: 50 }, (_, i) => `u${i + 1}`),
    )
  })

  test('that deletes has at most 8 requests in flight', async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => `u${i}`)
    const { seen, monotonic } = watchInFlight(50)
    const argv = ['users', 'delete', '-', '--yes', '--max', '1000', '--ignore-not-found']
    const { host, done } = world.start(argv, { stdin: ids.join('\n') })
    host.monotonic = monotonic
    expect((await done).code).toBe(0)
    expect(seen.most).toBe(8)
  })

  test.each([['--fail-fast'], ['--max-errors', '0']])(
    'with %s %s starts nothing after a failure',
    async (...flags) => {
      world.file('in.csv', usersCsv(3000))
      let failed = false
      const { seen, monotonic } = watchInFlight(50)
      const passed = world.intercept
      let later = 0
      let inFlight = 0
      world.intercept = async (request, next, signal) => {
        if (failed) later++
        if (world.requests.length < 2000) return (await passed?.(request, next, signal)) ?? next()
        inFlight = Math.max(inFlight, seen.inFlight)
        failed = true
        return answer(400, { error: { code: 'invalid_parameters', message: 'no' } })
      }
      const { host, done } = world.start([...importing, ...flags])
      host.monotonic = monotonic
      expect((await done).code).toBe(8)
      expect(later).toBeLessThanOrEqual(64)
    },
  )

  test('shows the number of requests at a time with --verbose', async () => {
    world.file('in.csv', usersCsv(3))
    const flags = ['--rate', '1', '--concurrency', '1', '--verbose']
    const { done } = world.start([...importing, ...flags], { tty: true, columns: 120 })
    expect((await done).stderr).toContain('2/3  2/s  0 failed  1 s left  1 concurrent')
  })
})
