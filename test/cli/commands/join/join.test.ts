import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { main } from '../../../../src/main.ts'
import { type HostOptions, type TestHost, testHost, testNow } from '../../../helpers/host.ts'
import {
  relayTo,
  restart,
  type Served,
  serveWorkspace,
  type TestMachine,
  testMachine,
} from '../../../helpers/live.ts'
import { soon, Watched } from '../../../helpers/waiting.ts'
import { tempDir } from '../../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace()
})

interface Options extends HostOptions {
  baseUrl?: string
  /** Timers of the program; the real timers by default. */
  machine?: TestMachine
}

function start(argv: readonly string[], { baseUrl, machine, ...options }: Options = {}) {
  const host: TestHost = testHost({
    ...options,
    env: {
      MEETROOM_BASE_URL: baseUrl ?? served.baseUrl,
      MEETROOM_API_KEY: served.apiKey,
      MEETROOM_CONFIG_DIR: join(tempDir(), 'config'),
      ...options.env,
    },
  })
  if (machine) host.after = machine.after
  const streams = () => ({ stdout: host.stdout.text, stderr: host.stderr.text })
  const watched = new Watched(streams)
  for (const output of [host.stdout, host.stderr]) {
    const write = output.write.bind(output)
    output.write = async (data) => {
      await write(data)
      watched.changed()
    }
  }
  const ended = main(['join', ...argv], host).then((code) => {
    watched.end('the program ended')
    return { code, ...streams() }
  })
  const end = () => soon('the end of the program', ended, streams)
  const waitForText = (stream: 'stdout' | 'stderr', text: string, times = 1) =>
    watched.until(
      `${JSON.stringify(text)} on ${stream}, ${times} times`,
      () => streams()[stream].split(text).length > times,
    )
  onTestFinished(async () => {
    host.signal('SIGINT')
    await ended
  })
  return {
    host,
    end,
    says: waitForText,
    joined: (times = 1) => waitForText('stderr', 'joined room', times),
    interrupt() {
      host.signal('SIGINT')
      return end()
    },
  }
}

/** Runs a command that ends by itself. */
const run = (argv: readonly string[], options: Options = {}) => start(argv, options).end()

const lines = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('output of join', () => {
  test('join prints each message on one line as soon as the message arrives', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    await served.say(room, 'hello')
    await program.says('stdout', 'hello\n')
    await served.say(room, 'world')
    await program.says('stdout', 'world\n')
    expect(await program.interrupt()).toEqual({
      code: 0,
      stdout: 'hello\nworld\n',
      stderr: `joined room ${room}; press ^C to leave\nleft\n`,
    })
  })

  for (const format of [['-o', 'ndjson'], ['-o', 'json'], ['--json']])
    test(`join ${format.join(' ')} prints each frame on one line`, async () => {
      const room = await served.room()
      const program = start([room, ...format])
      await program.says('stdout', 'joined')
      await served.say(room, 'one\ntwo "three"')
      await program.says('stdout', 'three')
      const { code, stdout } = await program.interrupt()
      expect(code).toBe(0)
      expect(lines(stdout)).toEqual([
        { event: 'joined', session: expect.objectContaining({ room_id: room, type: 'guest' }) },
        { event: 'message', message: 'one\ntwo "three"' },
      ])
    })

  test('join prints messages in send order', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    const sent = Array.from({ length: 20 }, (_, i) => `message ${i}`)
    for (const message of sent) await served.say(room, message)
    await program.says('stdout', 'message 19\n')
    expect(program.host.stdout.text).toBe(`${sent.join('\n')}\n`)
  })

  test('join prints only messages of the joined room', async () => {
    const [room, other] = [await served.room(), await served.room()]
    const program = start([room])
    await program.joined()
    await served.say(other, 'not for us')
    await served.say(room, 'for us')
    await program.says('stdout', 'for us\n')
    expect(program.host.stdout.text).toBe('for us\n')
  })

  test('join --quiet prints only messages', async () => {
    const room = await served.room()
    const program = start([room, '--quiet'])
    const observer = await served.join(room)
    await served.untilSessions(room, (sessions) => sessions.length === 2)
    await served.say(room, 'hello')
    await observer.until(({ messages }) => messages.length > 0)
    await program.says('stdout', 'hello\n')
    expect(await program.interrupt()).toEqual({ code: 0, stdout: 'hello\n', stderr: '' })
  })
})

describe('control characters in messages', () => {
  const hostile = '\u001b[2Jcleared\u009b31m\u202egnirts\r\nsecond line\u0007'

  test('join escapes control characters in a message', async () => {
    const room = await served.room()
    const program = start([room], { tty: true })
    await program.joined()
    await served.say(room, hostile)
    await program.says('stdout', '\n')
    expect(program.host.stdout.text).toBe(
      '\\u001b[2Jcleared\\u009b31m\\u202egnirts\\r\\nsecond line\\u0007\n',
    )
  })

  test('join -o ndjson losslessly escapes control characters on a terminal', async () => {
    const room = await served.room()
    const program = start([room, '-o', 'ndjson'], { tty: true })
    await program.says('stdout', 'joined')
    await served.say(room, hostile)
    await program.says('stdout', 'second')
    const { stdout } = program.host
    expect(stdout.text).not.toMatch(/[^\x20-\x7e\n]/)
    expect(lines(stdout.text).at(-1)).toEqual({ event: 'message', message: hostile })
  })
})

describe('join', () => {
  test('join without a token or API key enters an open room anonymously', async () => {
    const room = await served.room()
    const program = start([room], { env: { MEETROOM_API_KEY: undefined } })
    await program.joined()
    expect(await served.sessions(room)).toMatchObject([{ user_id: null }])
  })

  test('join --as enters a private room as the given user', async () => {
    await served.user('ada lovelace')
    const room = await served.room({ type: 'private', members: [{ user_id: 'ada lovelace' }] })
    const program = start([room, '--as', 'ada lovelace'])
    await program.joined()
    expect(await served.sessions(room)).toMatchObject([{ user_id: 'ada lovelace' }])
  })

  test('join --token enters a public room as the owner of the token', async () => {
    const token = await served.user('ada')
    const room = await served.room({ type: 'public' })
    const program = start([room, '--token', token], { env: { MEETROOM_API_KEY: undefined } })
    await program.joined()
    expect(await served.sessions(room)).toMatchObject([{ user_id: 'ada' }])
  })

  test('join --as with --token exits 2', async () => {
    expect(await run(['room', '--as', 'ada', '--token', 't'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --as and --token cannot be used together\n',
    })
  })
})

describe('join', () => {
  test('join --token exits 4 for an unknown token without printing the token', async () => {
    const room = await served.room()
    const { code, stdout, stderr } = await run([room, '--token', 'stolen'])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('error: cannot join: the access token is not valid\n')
    expect(stderr).not.toContain('stolen')
  })

  test('join exits 4 for a public room without a token', async () => {
    const room = await served.room({ type: 'public' })
    expect(await run([room])).toMatchObject({ code: 4, stdout: '' })
  })

  test('join exits 3 for a missing room', async () => {
    const { code, stderr } = await run(['nope'])
    expect(code).toBe(3)
    expect(stderr).toContain('error: cannot join: no such room\n')
  })

  test('join suggests the prefix “name:” for the name of an existing room', async () => {
    await served.room({ name: 'Maths 7a' })
    const { code, stderr } = await run(['Maths 7a'])
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^error: cannot join: no such room\nhint: a room has this name: meetroom join 'name:Maths 7a'/,
      ),
    })
  })

  test('join --as exits 3 for a missing user', async () => {
    const room = await served.room()
    expect(await run([room, '--as', 'nobody'])).toMatchObject({ code: 3 })
  })

  test('join --as exits 1 if the user is not a member of the private room', async () => {
    await served.user('ada')
    const room = await served.room({ type: 'private' })
    const { code, stderr } = await run([room, '--as', 'ada'])
    expect(code).toBe(1)
    expect(stderr).toContain('error: cannot join: only invited users can join this room\n')
  })

  test('join of a private room exits 4 with a hint to pass --as', async () => {
    const room = await served.room({ type: 'private' })
    const { code, stderr } = await run([room])
    expect(code).toBe(4)
    expect(stderr).toContain(
      'this room needs the access token of a user\nhint: pass a user who can join, as in --as ada\n',
    )
  })

  test('join exits 1 for a terminated room', async () => {
    const room = await served.room()
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    const { code, stderr } = await run([room])
    expect(code).toBe(1)
    expect(stderr).toContain('error: cannot join: the room is terminated\n')
  })

  test('join exits 5 after its retries if the connection is refused', async () => {
    await served.stop()
    const program = start(['room', '--retries', '2'])
    const { code, stderr } = await program.end()
    expect(code).toBe(5)
    expect(stderr).toContain('error: no connection: connection refused\n')
    expect(program.host.slept).toHaveLength(2)
  })

  for (const [status, code] of [
    [426, 1],
    [502, 6],
  ] as const)
    test(`join exits ${code} after a ${status} response without a JSON body`, async () => {
      const alien = createServer()
      alien.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\n\r\nno`))
      onTestFinished(() => void alien.close())
      await once(alien.listen(0, '127.0.0.1'), 'listening')
      const { port } = alien.address() as AddressInfo
      const ended = await run(['room'], { baseUrl: `http://127.0.0.1:${port}/v1` })
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(`error: cannot join: the service responded with ${status}\n`)
    })

  test('join -o ndjson prints a JSON error object for a missing room', async () => {
    const { code, stdout, stderr } = await run(['nope', '-o', 'ndjson'])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'not_found', status: 400 })
  })
})

describe('a joined session', () => {
  test('join exits 1 when the user is blocked, and the audit log contains the joining with the outcome ok', async () => {
    await served.user('ada')
    const room = await served.room({ type: 'private' })
    const member = await served.member(room, 'ada')
    const log = join(tempDir(), 'audit.ndjson')
    const program = start([room, '--as', 'ada'], { env: { MEETROOM_AUDIT_LOG: log } })
    await program.joined()
    await served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: true })
    const { code, stderr } = await program.end()
    expect(code).toBe(1)
    expect(stderr).toContain('error: you are blocked in this room\n')
    const outcomes = readFileSync(log, 'utf8').match(/"outcome":"\w+"/g)
    expect(outcomes).toEqual(['"outcome":"ok"'])
  })

  test('join exits 0 when the room is terminated during the session', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    await served.say(room, 'goodbye')
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await program.end()).toEqual({
      code: 0,
      stdout: 'goodbye\n',
      stderr: `joined room ${room}; press ^C to leave\nthe room is terminated\n`,
    })
  })

  test('join exits 0 when the room reaches max_meeting_seconds', async () => {
    const room = await served.room({ max_meeting_seconds: 2 })
    const program = start([room])
    await program.joined()
    await served.join(room)
    await served.advance(2000)
    expect(await program.end()).toEqual({
      code: 0,
      stdout: '',
      stderr: `joined room ${room}; press ^C to leave\nthe room is terminated\n`,
    })
  })

  test('join exits 1 when the room is deleted during the session', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    await served.ask('DELETE', `/rooms/${room}`)
    const { code, stderr } = await program.end()
    expect(code).toBe(1)
    expect(stderr).toContain('error: cannot join: the room is deleted\n')
  })

  test('join exits 1 when the user is deleted during the session', async () => {
    await served.user('ada')
    const room = await served.room()
    const program = start([room, '--as', 'ada'])
    await program.joined()
    await served.ask('DELETE', '/users/ada')
    expect(await program.end()).toEqual({
      code: 1,
      stdout: '',
      stderr: `joined room ${room}; press ^C to leave\nerror: cannot join: the user is deleted\n`,
    })
  })

  test('join exits 6 if the first frame is not a JSON object', async () => {
    for (const nonsense of ['not json', 'null', '"text"', '[]']) {
      const alien = new WebSocketServer({ port: 0, host: '127.0.0.1' })
      onTestFinished(() => {
        for (const client of alien.clients) client.terminate()
        alien.close()
      })
      alien.on('connection', (socket) => socket.send(nonsense))
      await once(alien, 'listening')
      const { port } = alien.address() as AddressInfo
      const { code, stdout } = await run(['room'], { baseUrl: `http://127.0.0.1:${port}/v1` })
      expect({ nonsense, code, stdout }).toEqual({ nonsense, code: 6, stdout: '' })
    }
  })
})

describe('join after a dropped connection', () => {
  test('join reconnects after a dropped connection and prints later messages', async () => {
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const program = start([room], { baseUrl: relay.baseUrl })
    await program.joined()
    await served.say(room, 'one')
    await served.say(room, 'two')
    await program.says('stdout', 'two\n')
    relay.cut()
    await program.joined(2)
    await served.say(room, 'three')
    await served.say(room, 'four')
    await program.says('stdout', 'four\n')
    const { code, stdout, stderr } = await program.interrupt()
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\ntwo\nthree\nfour\n' })
    expect(stderr).toContain('the connection was lost; retrying in 0.1 s\n')
    await served.untilSessions(room, (sessions) => sessions.every((one) => one.disconnected_at !== null))
    expect(await served.sessions(room)).toHaveLength(2)
  })

  test('join -o ndjson prints messages before the “joined” event of the next connection', async () => {
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const program = start([room, '-o', 'ndjson'], { baseUrl: relay.baseUrl })
    await program.says('stdout', 'joined')
    for (const round of [1, 2, 3]) {
      await served.say(room, `before cut ${round}`)
      await program.says('stdout', `before cut ${round}`)
      relay.cut()
      await program.says('stdout', '"joined"', round + 1)
    }
    const { stdout } = await program.interrupt()
    expect(lines(stdout).map(({ event, message }) => message ?? event)).toEqual([
      ...['joined', 'before cut 1', 'joined', 'before cut 2', 'joined', 'before cut 3', 'joined'],
    ])
  })

  test('join rejoins as the same user after a dropped connection', async () => {
    await served.user('ada')
    const room = await served.room({ type: 'private', members: [{ user_id: 'ada' }] })
    const relay = await relayTo(served.baseUrl)
    const program = start([room, '--as', 'ada'], { baseUrl: relay.baseUrl })
    await program.joined()
    relay.cut()
    await program.joined(2)
    expect(await served.sessions(room)).toMatchObject([{ user_id: 'ada' }, { user_id: 'ada' }])
  })

  test('join reconnects when a stopped service restarts', async () => {
    served = await serveWorkspace({ dir: tempDir() })
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const program = start([room], { baseUrl: relay.baseUrl })
    await program.joined()
    await served.stop()
    await program.says('stderr', 'retrying', 10)
    expect(program.host.stderr.text).toContain('the service is stopping; retrying in 0.1 s\n')
    expect(Math.max(...program.host.slept)).toBeLessThanOrEqual(8000)
    const again = await restart(served)
    relay.leadTo(again.baseUrl)
    await program.joined(2)
    await again.say(room, 'welcome back')
    await program.says('stdout', 'welcome back\n')
  })

  test('join exits after a dropped connection if the room is terminated', async () => {
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const program = start([room], { baseUrl: relay.baseUrl })
    await program.joined()
    relay.freeze()
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    relay.cut()
    const { stderr } = await program.end()
    expect(stderr).toContain('the room is terminated\n')
  })

  test('join reconnects after 20 seconds without a frame', async () => {
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const machine = testMachine()
    const program = start([room], { baseUrl: relay.baseUrl, machine })
    await program.joined()
    relay.freeze()
    machine.advance(20_000)
    await program.joined(2)
  })
})

describe('join after ^C', () => {
  test('join disconnects and exits 0 on ^C', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    await served.advance(3000)
    expect(await program.interrupt()).toMatchObject({ code: 0, stdout: '' })
    const [session] = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(session.disconnected_at).toBe(new Date(testNow + 3000).toISOString())
  })

  test('join exits 0 on ^C even if the service does not respond', async () => {
    const room = await served.room()
    const relay = await relayTo(served.baseUrl)
    const machine = testMachine()
    const program = start([room], { baseUrl: relay.baseUrl, machine })
    await program.joined()
    relay.freeze()
    const done = program.interrupt()
    machine.advance(1000)
    expect(await done).toMatchObject({ code: 0 })
  })

  test.each(['', ' --as ada'])('join ROOM%s exits 130 on ^C during the connection attempt', async (flags) => {
    await served.user('ada')
    const room = await served.room()
    expect(await start(`${room}${flags}`.split(' ')).interrupt()).toEqual({
      code: 130,
      stdout: '',
      stderr: 'error: interrupted\n',
    })
    expect(await served.sessions(room)).toEqual([])
  })
})

describe('join', () => {
  test('join disconnects and exits 0 if the reader closes the pipe', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    program.host.stdout.failure = Object.assign(new Error('broken pipe'), { code: 'EPIPE' })
    await served.say(room, 'hello')
    expect(await program.end()).toMatchObject({ code: 0, stderr: `joined room ${room}; press ^C to leave\n` })
    await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
  })

  test('join disconnects and exits 74 if the disk is full', async () => {
    const room = await served.room()
    const program = start([room])
    await program.joined()
    program.host.stdout.failure = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    await served.say(room, 'hello')
    expect(await program.end()).toMatchObject({ code: 74 })
    await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
  })
})

test.each(['--dry-run', '--curl'])('join %s exits 2', async (flag) => {
  expect(await start(['r1', flag]).end()).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: ${flag} cannot be used with “join”\n`,
  })
})
