import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { main } from '../../../../src/main.ts'
import { type HostOptions, type TestHost, testHost, testNow } from '../../../helpers/host.ts'
import { Inbox } from '../../../helpers/inbox.ts'
import { openSocket } from '../../../helpers/raw.ts'
import { type Received, startReceiver } from '../../../helpers/receiver.ts'
import { soon } from '../../../helpers/waiting.ts'
import { loadWebhookEvents } from '../../../helpers/wire.ts'
import { tempDir } from '../../../helpers/world.ts'

let dir: string
beforeEach(() => {
  dir = tempDir()
})

const save = (name: string, text: string) => writeFileSync(join(dir, name), text)

const hostHere = (options: HostOptions = {}) =>
  testHost({ cwd: dir, env: { MEETROOM_CONFIG_DIR: join(dir, 'config') }, ...options })

function collectLines(output: TestHost['stdout'], name: string): Inbox<string> {
  const inbox = new Inbox<string>(`a line on ${name}`)
  const write = output.write.bind(output)
  output.write = async (data) => {
    await write(data)
    for (const line of String(data).split('\n').slice(0, -1)) inbox.put(line)
  }
  return inbox
}

async function listen(flags: readonly string[] = [], options: HostOptions = {}) {
  const host = hostHere(options)
  const stdout = collectLines(host.stdout, 'standard output')
  const stderr = collectLines(host.stderr, 'standard error')
  const isJson = flags.includes('--json')
  const code = main(['webhooks', 'listen', '--port', '0', ...flags], host)
  const url = isJson
    ? (JSON.parse(await stdout.next()).url as string)
    : (/http:\S+(?=;)/.exec(await stderr.next())?.[0] ?? '')
  onTestFinished(async () => {
    host.signal('SIGTERM')
    await code
  })
  return {
    url,
    stdout,
    stderr,
    async post(body: string, headers: Record<string, string> = {}): Promise<number> {
      const type = { 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })).status
    },
    stop(): Promise<number> {
      host.signal('SIGINT')
      return code
    },
  }
}

const joined = {
  action: 'sessionJoined',
  payload: {
    roomId: 'room-1',
    userId: 'ada',
    memberId: 'member-1',
    sessionId: 'session-1',
    sessionsCount: 2,
    membersCount: 1,
    timestamp: '2024-05-06T07:08:09.123Z',
  },
}
const body = JSON.stringify(joined)
const line = '2024-05-06T07:08:09.123Z sessionJoined room room-1 user ada (2 sessions, 1 member)'

const secret = `whsec_${Buffer.from('a secret of 24 bytes now').toString('base64')}`

/** Invalid values of --secret, with their error messages. */
const invalidSecrets = [
  ['', '--secret: the secret is empty'],
  ...['whsec_', 'whsec_%%%', 'whsec_abc', 'whsec_YWJjZ'].map(
    (text) => [text, '--secret must be whsec_ followed by base64, or text without that prefix'] as const,
  ),
  ['@missing.txt', '--secret: missing.txt cannot be read: no such file'],
] as const

const nowSeconds = Math.floor(testNow / 1000)

function signHeaders(text: string, by = new Webhook(secret), at = nowSeconds): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': by.sign('msg_1', new Date(at * 1000), text),
  }
}

describe('webhooks listen', () => {
  test('webhooks listen prints one line for each event and responds 200', async () => {
    const { post, stdout, stop } = await listen()
    expect(await post(body)).toBe(200)
    expect(stdout.all).toEqual([line])
    expect(await stop()).toBe(0)
  })

  test('webhooks listen prints a session without a user ID as anonymous', async () => {
    const { post, stdout } = await listen()
    const { userId: _, ...payload } = joined.payload
    await post(JSON.stringify({ action: 'sessionLeft', payload }))
    expect(stdout.all).toEqual([line.replace('sessionJoined', 'sessionLeft').replace('ada', 'anonymous')])
  })

  test('webhooks listen --json prints one line when the server is ready and one line for each event', async () => {
    const { post, stdout, stderr, url } = await listen(['--json'])
    const odd = `{ "future": [1], ${body.slice(1)}`
    await post(body)
    await post(odd)
    expect(stdout.all.map((text) => JSON.parse(text))).toEqual([
      { event: 'ready', url },
      { ...joined, verified: false },
      { future: [1], ...joined, verified: false },
    ])
    expect(stderr.all).toEqual([])
  })

  test.each(loadWebhookEvents())(
    'webhooks listen accepts the documented event $name',
    async ({ body: event }) => {
      const { post, stderr } = await listen(['-q', '--json'])
      expect(await post(JSON.stringify(event))).toBe(200)
      expect(stderr.all).toEqual([])
    },
  )

  test('webhooks listen listens on 127.0.0.1 by default without a warning', async () => {
    const { url, stderr } = await listen()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    expect(stderr.all).toHaveLength(1)
  })

  test('webhooks listen --host 0.0.0.0 prints a warning', async () => {
    const { stderr } = await listen(['--host', '0.0.0.0'])
    expect(await stderr.next()).toBe('warning: other machines can reach 0.0.0.0')
  })

  test('webhooks listen --host ::1 listens on the IPv6 loopback interface', async () => {
    const { url, post } = await listen(['--host', '::1'])
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/$/)
    expect(await post(body)).toBe(200)
  })

  test('webhooks listen exits 2 if the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const host = hostHere()
    expect(await main(['webhooks', 'listen', '--port', String(port)], host)).toBe(2)
    expect(host.stderr.text).toBe(
      `error: another program is already listening on 127.0.0.1:${port}\nhint: select a free port: meetroom webhooks listen --port 0\n`,
    )
  })

  test.each([
    ['--port=65536', '--port must be a whole number, from 0 to 65535, not “65536”'],
    ['--respond=99', '--respond must be a whole number, from 200 to 599, not “99”'],
    ['--respond=600', '--respond must be a whole number, from 200 to 599, not “600”'],
    ['--respond=x', '--respond must be a whole number, from 200 to 599, not “x”'],
    ['--forward-to=nowhere', '--forward-to must be a complete URL such as https://host/path, not “nowhere”'],
    ['--exec=', '--exec must name a program, not “”'],
    ['--exec= ', '--exec must name a program, not “ ”'],
  ])('webhooks listen exits 2 for the invalid flag “%s”', async (flag, message) => {
    const host = hostHere()
    expect(await main(['webhooks', 'listen', flag], host)).toBe(2)
    expect(host.stderr.text).toBe(`error: ${message}\n`)
  })

  test('webhooks listen prints events in the order of their arrival', async () => {
    const { post, stdout } = await listen(['--json'])
    const events = Array.from({ length: 20 }, (_, i) => ({ ...joined, i }))
    for (const event of events) await post(JSON.stringify(event))
    expect(stdout.all.slice(1).map((text) => JSON.parse(text).i)).toEqual(events.map(({ i }) => i))
  })
})

describe('webhooks listen --require-header', () => {
  const wrong = 'warning: the header x-token is'

  test('webhooks listen --require-header responds 401 to a missing or wrong header without printing the value', async () => {
    save('token', 'a-header-token\n')
    const { post, stdout, stderr } = await listen(['--require-header', 'X-Token: @token'])
    expect(await post(body)).toBe(401)
    expect(await stderr.next()).toBe(`${wrong} missing`)
    for (const value of ['', 'a-header-toke', 'a-header-token2', '@token']) {
      expect(await post(body, { 'x-token': value })).toBe(401)
      expect(await stderr.next()).toBe(`${wrong} wrong`)
    }
    expect(stdout.all).toEqual([])
    expect(await post(body, { 'X-TOKEN': 'a-header-token' })).toBe(200)
    expect(stdout.all).toEqual([line])
    expect(stderr.all.join()).not.toContain('a-header')
  })

  test('webhooks listen checks every header of --require-header before it applies --respond', async () => {
    const { post } = await listen([
      ...['--require-header', 'A: one', '--require-header', 'B: two', '--respond', '204'],
    ])
    expect(await post(body, { a: 'one' })).toBe(401)
    expect(await post(body, { a: 'one', b: 'two' })).toBe(204)
  })

  test.each([
    ['X-Token', "--require-header must be 'Name: value', without a space before the colon"],
    ['X-Token:', '--require-header x-token: the value is empty'],
    ['X-Token: @none', '--require-header X-Token: none cannot be read: no such file'],
    ['Host: a', '--require-header cannot set Host, which meetroom sets itself'],
  ])('webhooks listen --require-header “%s” exits 2', async (header, message) => {
    const host = hostHere()
    expect(await main(['webhooks', 'listen', '--require-header', header], host)).toBe(2)
    expect(host.stderr.text).toContain(`error: ${message}\n`)
  })
})

test('webhooks listen marks redelivered events', async () => {
  const { post, stdout } = await listen()
  await post(body, { 'webhook-redelivery': '2' })
  expect(stdout.all).toEqual([line.replace('member)', 'member, redelivery 2)')])
})

describe('webhooks listen with an invalid request', () => {
  test.each([
    ['{', 'the body is not JSON'],
    ['{"action":"roomClosed"}', 'the body is not a webhook event: '],
    [JSON.stringify({ ...joined, action: 'x' }), 'the body is not a webhook event: action'],
    [body.replace('.123Z', 'Z'), 'the body is not a webhook event: payload.timestamp'],
    [body.replace('"roomId":"room-1"', '"roomId":1'), 'the body is not a webhook event: payload.roomId'],
  ])('webhooks listen responds 400 to the body %s and prints a warning', async (text, problem) => {
    const { post, stdout, stderr } = await listen()
    expect(await post(text)).toBe(400)
    expect(await stderr.next()).toContain(`warning: ${problem}`)
    expect(stdout.all).toEqual([])
  })

  test('webhooks listen responds 405 to a GET', async () => {
    const { url, stderr } = await listen()
    expect((await fetch(url)).status).toBe(405)
    expect(await stderr.next()).toBe('warning: the method is GET, not POST')
  })

  test('webhooks listen --json prints each refused request with status and reason', async () => {
    const { post, url, stdout } = await listen(['--json', '--secret', secret])
    expect(await post(body)).toBe(401)
    expect(await post('x'.repeat(1024 * 1024 + 1))).toBe(413)
    expect((await fetch(url)).status).toBe(405)
    expect(await post(body, signHeaders(body))).toBe(200)
    expect(stdout.all.slice(1).map((text) => JSON.parse(text))).toEqual([
      { event: 'refused', status: 401, reason: 'there is no signature' },
      { event: 'refused', status: 413, reason: 'the body is larger than 1 MB' },
      { event: 'refused', status: 405, reason: 'the method is GET, not POST' },
      { ...joined, verified: true },
    ])
  })

  test('webhooks listen responds 413 to a body above 1 MiB', async () => {
    const { post } = await listen()
    expect(await post('x'.repeat(1024 * 1024 + 1))).toBe(413)
  })

  test('webhooks listen responds 400 to a body that is nested 100,000 levels deep', async () => {
    const { post, stderr } = await listen()
    const deep = `{"action":"sessionJoined","payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(await post(deep)).toBe(400)
    expect(await stderr.next()).toBe('warning: the body is nested more than 100 levels deep')
    expect(await post(body)).toBe(200)
  })

  test('webhooks listen accepts events after a client disconnects while it sends a body', async () => {
    const { url, post, stdout } = await listen()
    const socket = await openSocket(url)
    const head =
      'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n{"action":'
    socket.write(head)
    await soon('the listener to want the body', once(socket, 'data'))
    socket.destroy()
    expect(await post(body)).toBe(200)
    expect(stdout.all).toEqual([line])
  })

  test('webhooks listen responds to other clients while one request is incomplete', async () => {
    const { url, post } = await listen()
    const socket = await openSocket(url)
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n')
    await soon('the listener to want the body', once(socket, 'data'))
    expect(await post(body)).toBe(200)
  })

  test('webhooks listen ignores a malformed webhook-timestamp', async () => {
    const { post } = await listen()
    expect(await post(body, { 'webhook-timestamp': '99999999999999999' })).toBe(200)
    expect(await post(body)).toBe(200)
  })

  test('webhooks listen escapes control characters in an event', async () => {
    const { post, stdout } = await listen()
    const hostile = 'ada\u001b[2J\u009b31m\u202e\nforged'
    const payload = { ...joined.payload, userId: hostile }
    await post(JSON.stringify({ ...joined, payload }))
    expect(stdout.all).toEqual([line.replace('ada', 'ada\\u001b[2J\\u009b31m\\u202e\\nforged')])
  })

  test('webhooks listen --json on a terminal prints escaped JSON that parses to the same event', async () => {
    const { post, stdout } = await listen(['--json'], { tty: true })
    const event = { ...joined, payload: { ...joined.payload, userId: 'ada\u009b31m\u202e' } }
    await post(JSON.stringify(event))
    expect(stdout.all.at(-1)).toContain('ada\\u009b31m\\u202e')
    expect(JSON.parse(stdout.all.at(-1) ?? '')).toEqual({ ...event, verified: false })
  })
})

describe('webhooks listen --secret', () => {
  test('webhooks listen --secret accepts an event with a correct signature', async () => {
    const { post, stdout } = await listen(['--secret', secret])
    expect(await post(body, signHeaders(body))).toBe(200)
    expect(stdout.all).toEqual([line.replace(')', ', verified)')])
  })

  test('webhooks listen --secret @FILE accepts a secret that is not base64', async () => {
    save('secret.txt', 'pässword, with blanks\n')
    const { post } = await listen(['--secret', '@secret.txt'])
    const by = new Webhook(Buffer.from('pässword, with blanks'), { format: 'raw' })
    expect(await post(body, signHeaders(body, by))).toBe(200)
  })

  test('webhooks listen --secret accepts one correct signature among several', async () => {
    const { post } = await listen(['--secret', secret])
    const headers = signHeaders(body)
    const several = `v1,bm90IHRoaXMgb25l ${headers['webhook-signature']}`
    expect(await post(body, { ...headers, 'webhook-signature': several })).toBe(200)
  })

  test.each<[string, Record<string, string>, string]>([
    ['a signature of another body', signHeaders(`${body} `), 'the signature is wrong'],
    ['a signature of another ID', { ...signHeaders(body), 'webhook-id': 'msg_2' }, 'the signature is wrong'],
    [
      'a signature of another time',
      { ...signHeaders(body), 'webhook-timestamp': '1' },
      'the signature is wrong',
    ],
    [
      'a signature without a version',
      { ...signHeaders(body), 'webhook-signature': 'x' },
      'the signature is wrong',
    ],
    ['a missing signature', {}, 'there is no signature'],
  ])(
    'webhooks listen --secret responds 401 to %s without forwarding the event',
    async (_, headers, problem) => {
      const { url, inbox } = await startReceiver()
      const { post, stderr } = await listen(['--secret', secret, '--forward-to', url])
      expect(await post(body, headers)).toBe(401)
      expect(await stderr.next()).toBe(`warning: ${problem}`)
      expect(inbox.all).toEqual([])
    },
  )

  test.each<[string, number, string]>([
    ['older than five minutes', nowSeconds - 301, 'the signature is 301 s old; the tolerance is 300 s'],
    [
      'from years ago',
      1_714_979_289,
      `the signature is ${nowSeconds - 1_714_979_289} s old; the tolerance is 300 s`,
    ],
    [
      'from the future',
      nowSeconds + 301,
      'the signature is 301 s ahead of the clock; the tolerance is 300 s',
    ],
  ])(
    'webhooks listen --secret responds 401 to a correct signature %s without forwarding the event',
    async (_, at, problem) => {
      const { url, inbox } = await startReceiver()
      const { post, stderr } = await listen(['--secret', secret, '--forward-to', url])
      expect(await post(body, signHeaders(body, new Webhook(secret), at))).toBe(401)
      expect(await stderr.next()).toBe(`warning: ${problem}`)
      expect(inbox.all).toEqual([])
    },
  )

  test('webhooks listen --secret accepts a signature within five minutes of the clock, or within --tolerance', async () => {
    const at = (seconds: number) => signHeaders(body, new Webhook(secret), nowSeconds + seconds)
    const usual = await listen(['--secret', secret])
    expect(await usual.post(body, at(-300))).toBe(200)
    expect(await usual.post(body, at(300))).toBe(200)
    const patient = await listen(['--secret', secret, '--tolerance', '1h'])
    expect(await patient.post(body, at(-3600))).toBe(200)
    expect(await patient.post(body, at(-3601))).toBe(401)
  })

  test.each([
    [['--tolerance', '60'], '--tolerance needs --secret'],
    [
      ['--secret', secret, '--tolerance', '0'],
      '--tolerance must be a duration such as 30s or 1m30s, at least 1s, not “0”',
    ],
  ])('webhooks listen exits 2 for the invalid flags %j', async (flags, message) => {
    const host = hostHere()
    expect(await main(['webhooks', 'listen', '--port', '0', ...flags], host)).toBe(2)
    expect(host.stderr.text).toBe(`error: ${message}\n`)
  })

  test.each(invalidSecrets)('webhooks listen --secret “%s” exits 2', async (value, message) => {
    const host = hostHere()
    const code = main(['webhooks', 'listen', '--port', '0', '--secret', value], host)
    onTestFinished(() => host.signal('SIGINT'))
    expect(await soon('listen to refuse the secret', code)).toBe(2)
    expect(host.stderr.text).toBe(`error: ${message}\n`)
  })
})

describe('webhooks listen --forward-to', () => {
  test('webhooks listen --forward-to forwards a signed event unchanged', async () => {
    const { url, inbox } = await startReceiver((_, response) => void response.writeHead(202).end())
    const { post } = await listen(['--forward-to', `${url}/hooks?a=1`])
    const odd = body.replace(',', ' ,\n')
    expect(await post(odd, signHeaders(odd))).toBe(202)
    expect(inbox.all).toMatchObject([
      {
        method: 'POST',
        path: '/hooks?a=1',
        body: odd,
        headers: { 'content-type': 'application/json', ...signHeaders(odd) },
      },
    ])
  })

  test('webhooks listen --forward-to responds 503 if the receiver responds 503', async () => {
    const { url } = await startReceiver((_, response) => void response.writeHead(503).end())
    const { post } = await listen(['--forward-to', url])
    expect(await post(body)).toBe(503)
  })

  test('webhooks listen --forward-to responds 502 to each event while the receiver is down', async () => {
    const { url, post, stderr } = await listen(['--forward-to', 'http://127.0.0.1:9/'])
    expect(url).not.toBe('')
    expect(await post(body)).toBe(502)
    expect(await stderr.next()).toContain(
      'warning: http://127.0.0.1:9/ cannot be reached: connection refused',
    )
    expect(await post(body)).toBe(502)
  })

  test('webhooks listen --forward-to responds 400 to an invalid event without forwarding it', async () => {
    const { url, inbox } = await startReceiver()
    const { post } = await listen(['--forward-to', url])
    expect(await post('{}')).toBe(400)
    expect(inbox.all).toEqual([])
  })
})

describe('webhooks listen --respond', () => {
  test.each(['200', '204', '410', '500'])(
    'webhooks listen --respond %s sends this status to a valid and to an invalid event',
    async (status) => {
      const { post, stdout } = await listen(['--respond', status])
      expect(await post(body)).toBe(Number(status))
      expect(await post('{}')).toBe(Number(status))
      expect(stdout.all).toEqual([line])
    },
  )

  test('webhooks listen --respond takes precedence over the response of the --forward-to receiver', async () => {
    const { url, inbox } = await startReceiver()
    const { post } = await listen(['--respond', '500', '--forward-to', url])
    expect(await post(body)).toBe(500)
    expect(inbox.all).toHaveLength(1)
  })
})

describe('webhooks listen --exec', () => {
  function createProgram(): { command: string; noted(): { words: string[]; input: string }[] } {
    const notes = join(dir, 'notes')
    save(
      'note.mjs',
      `import { appendFileSync, readFileSync } from 'node:fs'
       const note = { words: process.argv.slice(2), input: readFileSync(0, 'utf8') }
       appendFileSync(${JSON.stringify(notes)}, JSON.stringify(note) + '\\n')`,
    )
    const lines = () => readFileSync(notes, 'utf8').split('\n').slice(0, -1)
    return {
      command: `${process.execPath} ${join(dir, 'note.mjs')}`,
      noted: () => lines().map((text) => JSON.parse(text)),
    }
  }

  test('webhooks listen --exec runs a program for each event, with the event on standard input', async () => {
    const { command, noted } = createProgram()
    const { post } = await listen(['--exec', command])
    const second = body.replace('room-1', 'room-2')
    expect(await post(body)).toBe(200)
    expect(await post(second)).toBe(200)
    expect(noted().map(({ input }) => input)).toEqual([body, second])
  })

  test('webhooks listen --exec passes arguments to the program without a shell', async () => {
    const { command, noted } = createProgram()
    const { post } = await listen(['--exec', `${command} $HOME ; rm * $(id) 'a b'`])
    await post(body)
    expect(noted()[0]?.words).toEqual(['$HOME', ';', 'rm', '*', '$(id)', "'a", "b'"])
  })

  test('webhooks listen --exec runs the program only for a valid event', async () => {
    const { command, noted } = createProgram()
    const { post } = await listen(['--exec', command])
    await post('{}')
    await post(body)
    expect(noted()).toHaveLength(1)
  })

  test('webhooks listen --exec warns about a failing or missing program, and accepts later events', async () => {
    save('fail.mjs', 'process.exitCode = 3')
    const failing = await listen(['--exec', `${process.execPath} ${join(dir, 'fail.mjs')}`])
    expect(await failing.post(body)).toBe(200)
    expect(await failing.stderr.next()).toBe(`warning: ${process.execPath} ended with exit code 3`)
    const missing = await listen(['--exec', './not-there'])
    expect(await missing.post(body)).toBe(200)
    expect(await missing.stderr.next()).toContain('warning: ./not-there cannot be started: no such program')
    expect(await missing.post(body)).toBe(200)
  })
})

async function verify(...flags: string[]) {
  const host = hostHere()
  const argv = ['webhooks', 'verify', 'body.json', '--headers', 'headers.txt', ...flags]
  const code = await main(argv, host)
  return { code, stdout: host.stdout.text, stderr: host.stderr.text }
}

const headerLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

describe('webhooks verify', () => {
  beforeEach(() => {
    save('body.json', body)
    save('headers.txt', headerLines(signHeaders(body)))
  })

  test('webhooks verify exits 0 for a correct signature', async () => {
    expect(await verify('--secret', secret)).toEqual({
      code: 0,
      stdout:
        'webhook_id  msg_1\ntimestamp   2026-01-02T03:04:05.000Z\naction      sessionJoined\n' +
        'valid       true\nsignature   verified\n',
      stderr: '',
    })
  })

  test('webhooks verify --json prints the result as JSON', async () => {
    const { stdout } = await verify('--secret', secret, '--json')
    expect(JSON.parse(stdout)).toEqual({
      webhook_id: 'msg_1',
      timestamp: '2026-01-02T03:04:05.000Z',
      action: 'sessionJoined',
      valid: true,
      signature: 'verified',
    })
  })

  test('webhooks verify reads headers from JSON and ignores the case of their names', async () => {
    const headers = Object.entries(signHeaders(body)).map(([name, value]) => [name.toUpperCase(), value])
    save('headers.txt', JSON.stringify(Object.fromEntries(headers), null, 2))
    expect((await verify('--secret', secret)).code).toBe(0)
  })

  test('webhooks verify trims a long header value and keeps its inner spaces', async () => {
    const value = `msg${' '.repeat(1_000_000)}1`
    save('headers.txt', `webhook-id: \t${value}\t \r\n`)
    const { stdout } = await verify('-o', 'json')
    expect(JSON.parse(stdout).webhook_id).toBe(value)
  })

  test('webhooks verify --secret @FILE reads the secret from the file', async () => {
    save('secret.txt', `${secret}\n`)
    expect((await verify('--secret', '@secret.txt')).code).toBe(0)
  })

  test('webhooks verify without --secret exits 0 and reports an unchecked signature', async () => {
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('signature   not checked\n'),
    })
  })

  test('webhooks verify exits 9 for a wrong signature', async () => {
    expect(await verify('--secret', 'another')).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('valid       false\nsignature   wrong\n'),
      stderr: 'error: the signature is wrong\n',
    })
  })

  test('webhooks verify suggests the other order of swapped files without printing the secret', async () => {
    save('body.json', headerLines(signHeaders(body)))
    save('headers.txt', body)
    save('secret.txt', secret)
    const hint = 'error: there is no signature; the body is not JSON\nhint: the two files may be swapped'
    expect((await verify('--secret', secret)).stderr).toBe(`${hint}\n`)
    expect((await verify('--secret', '@secret.txt')).stderr).toBe(
      `${hint}: meetroom webhooks verify headers.txt --headers body.json --secret @secret.txt\n`,
    )
  })

  test('webhooks verify limits the age of a signature only with --tolerance', async () => {
    save('headers.txt', headerLines(signHeaders(body, new Webhook(secret), 1_714_979_289)))
    expect((await verify('--secret', secret)).code).toBe(0)
    expect(await verify('--secret', secret, '--tolerance', '300')).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('signature   too old\n'),
      stderr: `error: the signature is ${nowSeconds - 1_714_979_289} s old; the tolerance is 300 s\n`,
    })
    save('headers.txt', headerLines(signHeaders(body, new Webhook(secret), nowSeconds + 600)))
    expect(await verify('--secret', secret, '--tolerance', '300')).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('signature   too new\n'),
    })
    expect((await verify('--secret', secret, '--tolerance', '600')).code).toBe(0)
    expect(await verify('--tolerance', '600')).toMatchObject({
      code: 2,
      stderr: 'error: --tolerance needs --secret\n',
    })
  })

  test('webhooks verify exits 9 for a body with an additional line break', async () => {
    save('body.json', `${body}\n`)
    expect((await verify('--secret', secret)).code).toBe(9)
  })

  test('webhooks verify exits 9 for a missing signature', async () => {
    save('headers.txt', 'Content-Type: application/json\n')
    expect(await verify('--secret', secret)).toMatchObject({
      code: 9,
      stderr: 'error: there is no signature\n',
    })
  })

  test.each([
    ['{"action":"other"}', 'the body is not a webhook event: '],
    ['no JSON', 'the body is not JSON'],
  ])('webhooks verify exits 9 for the body %s', async (text, problem) => {
    save('body.json', text)
    const { code, stderr } = await verify()
    expect(code).toBe(9)
    expect(stderr).toContain(problem)
  })

  test('webhooks verify escapes control characters in a header', async () => {
    save('headers.txt', 'webhook-id: msg\u001b[2J\u202e\n')
    expect((await verify()).stdout).toContain('webhook_id  msg\\u001b[2J\\u202e\n')
  })

  test('webhooks verify omits the timestamp if the header webhook-timestamp is malformed', async () => {
    save('headers.txt', 'webhook-timestamp: 99999999999999999\n')
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('timestamp') })
  })

  test.each(invalidSecrets)('webhooks verify --secret “%s” exits 2', async (value, message) => {
    expect(await verify('--secret', value)).toMatchObject({ code: 2, stderr: `error: ${message}\n` })
  })

  test('webhooks verify exits 2 for headers in malformed JSON', async () => {
    save('headers.txt', '{"webhook-id": ')
    expect(await verify()).toMatchObject({
      code: 2,
      stderr: 'error: --headers is not valid JSON: it ends too early\n',
    })
  })

  test('webhooks verify exits 2 and prints the name of a missing file', async () => {
    const host = hostHere()
    const code = await main(['webhooks', 'verify', 'none.json', '--headers', 'headers.txt'], host)
    expect(code).toBe(2)
    expect(host.stderr.text).toBe('error: none.json cannot be read: no such file\n')
  })

  test('webhooks verify exits 2 without --headers', async () => {
    const host = hostHere()
    expect(await main(['webhooks', 'verify', 'body.json'], host)).toBe(2)
    expect(host.stderr.text).toMatch(/^error: --headers is missing\n/)
  })

  test('webhooks verify exits 0 without a settings file', async () => {
    const host = hostHere({ env: { MEETROOM_CONFIG_DIR: join(dir, 'none') } })
    expect(await main(['webhooks', 'verify', 'body.json', '--headers', 'headers.txt'], host)).toBe(0)
  })
})

test('webhooks verify accepts the signature of an event that webhooks listen forwards', async () => {
  const { url, inbox } = await startReceiver()
  const { post } = await listen(['--secret', secret, '--forward-to', url])
  await post(body, signHeaders(body))
  const forwarded: Received = await inbox.next()
  save('body.json', forwarded.body)
  save('headers.txt', JSON.stringify(forwarded.headers))
  expect((await verify('--secret', secret)).code).toBe(0)
})
