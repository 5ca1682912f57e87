import { describe, expect, test } from 'vitest'
import { createImportWorld, usersCsv } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { turns } from '../../helpers/still-time.ts'
import { latch } from '../../helpers/waiting.ts'
import { answer } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createImportWorld)
const importing = ['users', 'import', 'in.csv', '--if-exists', 'overwrite', '--no-journal']

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

describe('a command with many items', () => {
  test('users import sends up to 64 concurrent requests if the latency is 50 ms', async () => {
    world.file('in.csv', usersCsv(sized(1000, 2000)))
    const { seen, monotonic } = watchInFlight(50)
    const { host, done } = world.start(importing)
    host.monotonic = monotonic
    expect(await done).toMatchObject({ code: 0 })
    expect(seen.most).toBe(64)
  })

  test('users import --concurrency 5 sends up to 5 concurrent requests', async () => {
    world.file('in.csv', usersCsv(500))
    const { seen, monotonic } = watchInFlight(50)
    const { host, done } = world.start([...importing, '--concurrency', '5'])
    host.monotonic = monotonic
    expect(await done).toMatchObject({ code: 0 })
    expect(seen.most).toBe(5)
  })

  test('users import --concurrency 1 sends sequential requests in the order of the rows', async () => {
    world.file('in.csv', usersCsv(50))
    const { seen } = watchInFlight(50)
    expect(await world.run([...importing, '--concurrency', '1'])).toMatchObject({ code: 0 })
    expect(seen.most).toBe(1)
    expect(world.requests.map(({ body = '' }) => JSON.parse(body).user_id)).toEqual(
      Array.from({ length: 50 }, (_, i) => `u${i + 1}`),
    )
  })

  test('users delete sends at most 8 concurrent requests', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `u${i}`)
    const { seen, monotonic } = watchInFlight(50)
    const argv = ['users', 'delete', '-', '--yes', '--max', '1000', '--ignore-not-found']
    const { host, done } = world.start(argv, { stdin: ids.join('\n') })
    host.monotonic = monotonic
    expect((await done).code).toBe(0)
    expect(seen.most).toBe(8)
  })

  describe.each([
    ['users import in.csv --if-exists overwrite -o ndjson', 1000, 'POST'],
    ['rooms reopen - --max 3000', 1000, 'PUT'],
  ])('more than 8 requests in flight (%s)', (line, items, method) => {
    /** Holds the first 21 requests until all are in flight, and stops the run there. */
    async function runUntilStopped(flags: readonly string[], failures: number) {
      world.file('in.csv', usersCsv(items))
      const ids = Array.from({ length: items }, (_, i) => `r${i}`).join('\n')
      const { open: stop, opened: stopping } = latch()
      const { open: release, opened: released } = latch()
      let started = 0
      let toFail = failures
      let sentBefore = 0
      world.intercept = async (request, next) => {
        if (request.method !== method) return next()
        if (++started === 21) {
          stop()
          if (failures === 0) host.signal('SIGINT')
          // Allows time to load the modules that classify the failure.
          void turns(1000).then(() => {
            sentBefore = world.requests.length
            release()
          })
        }
        await stopping
        if (toFail-- > 0) return answer(400, { error: { code: 'invalid_parameters', message: 'no' } })
        await released
        const shown = { id: request.url.split('/').at(-1), ...JSON.parse(request.body ?? '{}') }
        return answer(200, { user: shown, room: shown })
      }
      const argv = [...line.split(' '), '--yes', '--concurrency', '32', ...flags]
      const { host, done } = world.start(argv, line.includes(' - ') ? { stdin: ids } : {})
      const { code, stderr } = await done
      const writes = world.requests.filter((request) => request.method === method).length
      return { code, stderr, writes, later: world.requests.length - sentBefore }
    }

    test.each([
      ['a failure with --fail-fast', ['--fail-fast'], 1, 8],
      ['too many failures for --max-errors', ['--max-errors', '3'], 4, 8],
      ['^C', [], 0, 130],
    ])(
      `the command “${line}” stops after %s and prints the number of untried items`,
      async (_what, flags, failures, code) => {
        const run = await runUntilStopped(flags, failures)
        expect(run).toMatchObject({ code, later: 0 })
        expect(run.writes).toBeGreaterThan(20)
        const untried = Number(/(\d+) not tried/.exec(run.stderr)?.[1])
        expect(untried).toBe(items - run.writes)
        expect(run.stderr).not.toContain('unknown')
      },
    )
  })

  test('the progress bar of users import --verbose shows the number of concurrent requests', async () => {
    world.file('in.csv', usersCsv(3))
    const flags = ['--rate', '1', '--concurrency', '1', '--verbose']
    const { done } = world.start([...importing, ...flags], { tty: true, columns: 120 })
    expect((await done).stderr).toContain('2/3  2/s  0 failed  1 s left  1 concurrent')
  })
})
