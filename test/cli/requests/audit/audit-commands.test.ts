import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changes } from '../../../helpers/audit.ts'
import { allCalls, byCommand, prepare, sendsElsewhere, stays } from '../../../helpers/calls.ts'
import { tempDir } from '../../../helpers/world.ts'
import { share } from '../../../suites/size.ts'

// A quick run tests one call of each command.
const calls = byCommand((await allCalls()).filter((call) => !sendsElsewhere.test(call))).flatMap((same) =>
  share(same, 0, same.length),
)

describe.each(calls)('the audit log of the command %s', (call) => {
  const joins = call.startsWith('join')

  const run = async (log: string, stopped = stays.test(call)) => {
    const { world, argvOf } = await prepare()
    const { host, done } = world.start([...argvOf(call), '--yes'], {
      env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined, MEETROOM_AUDIT_LOG: log },
      ...(call.startsWith('auth login') ? { stdin: world.apiKey } : {}),
    })
    if (stopped) setTimeout(() => host.signal('SIGINT'), 20).unref()
    const ended = await done
    return { ...ended, writes: world.requests.filter(({ method }) => method !== 'GET').length }
  }

  test(`the command ${call} makes no change without an audit entry`, async () => {
    const log = join(tempDir(), 'log')
    const written = await run(log)
    const recorded = changes(log)
    expect(recorded).toHaveLength(joins ? 1 : written.writes)
    for (const { intent, outcomes } of recorded)
      expect(outcomes).toEqual([
        expect.objectContaining({
          operation: intent.operation,
          outcome: joins ? 'failed' : 'ok',
        }),
      ])

    const missing = join(tempDir(), 'missing/log')
    const { code, stderr, writes } = await run(missing, stays.test(call) && !joins)
    expect(writes).toBe(0)
    if (!joins && written.writes === 0) return expect(stderr).not.toContain('audit log')
    expect({ code, stderr }, stderr).toEqual({
      code: 74,
      stderr: expect.stringMatching(
        /error: the audit log \S+ cannot be written: no such directory\nhint: .*--no-audit/,
      ),
    })
  })
})
