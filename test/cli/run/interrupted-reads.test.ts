import { expect, test } from 'vitest'
import type { WireResponse } from '../../../src/api/wire.ts'
import { allCalls, byCommand, needsControl, prepare, sendsElsewhere, stays } from '../../helpers/calls.ts'
import { share, sized } from '../../suites/size.ts'

const sendsNone =
  /^(cache|commands|completion|config|help|local|openapi|profiles|schema|version|__complete)\b/

const calls = (await allCalls()).filter(
  (call) =>
    ![sendsNone, stays, needsControl, sendsElsewhere, /^webhooks verify/, /^serve/].some((pattern) =>
      pattern.test(call),
    ),
)

/** Calls without a further read to interrupt. */
const exhausted = new Set<string>()

test.each([0, 1, 2])(
  'commands exit 130 immediately if ^C interrupts a read before the first write (earlier reads: %i)',
  async (answered) => {
    const interrupted: string[] = []
    // A quick run tests one call of each command.
    for (const call of byCommand(calls).flatMap((same) => share(same, answered, same.length))) {
      if (exhausted.has(call)) continue
      const { world, argvOf } = await prepare()
      let reads = 0
      let interrupt = () => {}
      let isInterrupted = false
      world.intercept = async (request, next, signal) => {
        if (request.method !== 'GET' || reads++ < answered) return next()
        setImmediate(() => interrupt())
        return new Promise<WireResponse>((_, reject) => {
          if (signal.aborted) reject(signal.reason)
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      }
      const { host, done } = world.start([...argvOf(call), '--yes'], { stdin: world.apiKey })
      const waits: number[] = []
      const { after } = host
      host.after = (ms, work) => {
        if (isInterrupted) waits.push(ms)
        return after(ms, work)
      }
      interrupt = () => {
        isInterrupted = true
        host.signal('SIGINT')
      }
      const { code, stderr } = await done
      if (!isInterrupted) exhausted.add(call)
      // Only interrupts before the first write are checked.
      if (!isInterrupted || world.requests.some(({ method }) => method !== 'GET')) continue
      interrupted.push(call)
      expect({ code, waits, stderr: stderr.includes('waiting for pending requests') }, call).toEqual({
        code: 130,
        waits: [],
        stderr: false,
      })
    }
    expect(interrupted.length).toBeGreaterThan(answered === 0 ? sized(30, 40) : sized(5, 10))
  },
)
