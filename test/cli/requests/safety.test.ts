import { createHook } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { mayWrite } from '../../../src/cli/kernel/effect.ts'
import type { MeetroomCommand } from '../../../src/cli/kernel/meetroom-command.ts'
import { splitLine } from '../../../src/cli/mistakes/typed.ts'
import {
  allCalls,
  byCommand,
  filesOf,
  needsControl,
  prepare,
  sendsElsewhere,
  sendsNothing,
  stays,
} from '../../helpers/calls.ts'
import { wholeProgram } from '../../helpers/tree.ts'
import { answer, baseUrl, type World } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

const calls = await allCalls()
const program = await wholeProgram()

/** Calls of writing commands that send no write: reads, a WebSocket, and a user who is not blocked. */
const changesNothing = /^(api GET|join|members unblock --user) /

function isChange(call: string): boolean {
  const { command } = splitLine(program, call.split(' '))
  const { effect = 'machine' } = command as MeetroomCommand
  return mayWrite(effect) && !changesNothing.test(call)
}

/** In a quick run, returns one call of each command. */
const callsOf = (row: number) => byCommand(calls).flatMap((same) => share(same, row, same.length))

/** Node’s names for servers, TCP connections and child processes. */
const starts = ['TCPSERVERWRAP', 'PIPESERVERWRAP', 'TCPWRAP', 'PROCESSWRAP']

/** @param interrupts true to stop commands that run until they are stopped */
async function run(
  call: string,
  { world, ids }: Awaited<ReturnType<typeof prepare>>,
  flags = '--yes',
  interrupts = true,
) {
  const argv = `${call} ${flags}`
    .trim()
    .split(' ')
    .map((word) => ids[word] ?? word)
  const before = filesOf(world.dir)
  const started: string[] = []
  const hook = createHook({ init: (_id, type) => void (starts.includes(type) && started.push(type)) })
  hook.enable()
  const { host, done } = world.start(argv, {
    env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined },
    ...(call.startsWith('auth login') ? { stdin: world.apiKey } : {}),
  })
  if (interrupts && stays.test(call)) setTimeout(() => host.signal('SIGINT'), 20).unref()
  const { code, stderr } = await done.finally(() => hook.disable())
  const after = filesOf(world.dir)
  return {
    code,
    stderr,
    requests: requestsOf(world),
    writes: requestsOf(world).filter((request) => !request.startsWith('GET ')),
    started,
    changed: [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (name) => before[name] !== after[name],
    ),
  }
}

const requestsOf = (world: World) =>
  world.requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)

describe('the safety of each command', () => {
  test.each(calls.filter((call) => !sendsElsewhere.test(call)))(
    'the command “%s” sends no write to the service of a protected profile without --allow-write',
    async (call) => {
      const allowed = sendsNothing.test(call) ? '--yes' : '--yes --allow-write'
      const free = await run(call, await prepare({ isProtected: !sendsNothing.test(call) }), allowed)
      const { code, stderr, writes, started, changed } = await run(call, await prepare({ isProtected: true }))
      if (!stays.test(call) && !needsControl.test(call))
        expect(free, 'the call works, or this test would prove nothing').toMatchObject({ code: 0 })
      expect(free.writes.length > 0).toBe(isChange(call))
      if (!isChange(call)) return expect(writes).toEqual([])
      expect({ code, stderr, writes, started, changed }).toEqual({
        code: 2,
        stderr:
          'error: the profile production is protected against changes\n' +
          'hint: pass --allow-write to make the change anyway\n',
        writes: [],
        started: [],
        changed: [],
      })
    },
  )

  test.each(callsOf(0))(
    'the command “%s” with --dry-run sends no write and starts no process except the key command',
    async (call) => {
      const { code, stderr, requests, writes, started, changed } = await run(
        call,
        await prepare({ keyCommand: true, isProtected: true }),
        '--yes --dry-run',
      )
      expect({ code, writes, started, changed }, stderr).toEqual({
        code: sendsNothing.test(call) ? 2 : 0,
        writes: [],
        // The key command runs only if a read needs the key.
        started: requests.length > 0 ? ['PROCESSWRAP'] : [],
        changed: [],
      })
    },
  )

  test.each(callsOf(1))('the command “%s” with --all-profiles sends no write', async (call) => {
    const { code, stderr, requests, started, changed } = await run(
      call,
      await prepare(),
      '--yes --all-profiles',
    )
    const isRefused = code === 2
    expect({ code, started, changed }, stderr).toEqual({ code: isRefused ? 2 : 0, started: [], changed: [] })
    expect(requests.filter((request) => isRefused || !request.startsWith('GET '))).toEqual([])
    const lists =
      /^(\w+ (list|get|links?|export|report)|users (rooms|duplicates)|usage|webhooks deliveries)\b/.test(
        call,
      ) &&
      !/^workspace /.test(call) &&
      !sendsNothing.test(call)
    const reads = lists || call.startsWith('auth status')
    expect(isRefused, stderr).toBe(!reads)
  })

  test.each(callsOf(2))(
    'the command “%s” with --curl sends no request and starts no process',
    async (call) => {
      const { code, stderr, requests, started, changed } = await run(
        call,
        await prepare({ keyCommand: true, isProtected: true }),
        '--yes --curl',
      )
      // Requests that depend on reads are unknown.
      const isUnknown =
        /^workspace | import | offboard | hand-over | merge | --where | --all-rooms| --since/.test(call) &&
        !/ links? |^sessions list /.test(call)
      const isRefused = sendsNothing.test(call) || sendsElsewhere.test(call) || isUnknown
      expect({ code, requests, started, changed }, stderr).toEqual({
        code: isRefused ? 2 : 0,
        requests: [],
        started: [],
        changed: [],
      })
    },
  )

  const sending = (call: string) =>
    !sendsElsewhere.test(call) &&
    (!sendsNothing.test(call) || /^(auth (status|login)|sessions watch)\b/.test(call))
  test.each(callsOf(3).filter(sending))('the command “%s” exits 4 after a 401 response', async (call) => {
    const prepared = await prepare()
    prepared.world.intercept = async () => answer(401, {})
    const { code, stderr } = await run(call, prepared, '--yes', false)
    expect(code, stderr).toBe(4)
  })
})
