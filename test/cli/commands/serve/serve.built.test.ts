import { once } from 'node:events'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { runBuilt, runShell } from '../../../helpers/built.ts'
import { findFreePort } from '../../../helpers/free-port.ts'
import { listen } from '../../../helpers/listen.ts'
import { openSocket, rawRequest, upgradeHeaders } from '../../../helpers/raw.ts'
import { type Received, startReceiver } from '../../../helpers/receiver.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { homes, type Ready, startBuilt, startServe } from '../../../helpers/serving.ts'
import { soon } from '../../../helpers/waiting.ts'

// Every test starts processes.
vi.setConfig({ testTimeout: 20_000 })

/** Runs a serve command that is refused before it listens. */
const runRefused = (...argv: string[]) => {
  const { MEETROOM_CONFIG_DIR, MEETROOM_DATA_DIR } = homes()
  return runHere(['serve', ...argv], { env: { MEETROOM_CONFIG_DIR, MEETROOM_DATA_DIR } })
}

/** Joins a room; resolves after the greeting. */
async function joinRoom(ready: Ready, room: string, query = ''): Promise<WebSocket> {
  const webSocket = new WebSocket(`${ready.base_url.replace('http', 'ws')}/rooms/${room}/connect${query}`)
  // A dropped connection also emits `close`.
  webSocket.on('error', () => {})
  await soon('the greeting', once(webSocket, 'message'))
  return webSocket
}

describe('serve that is ready', () => {
  test('serve --json prints one line of JSON when it is ready, and creates its API key once in a file with owner-only access', async () => {
    const env = homes()
    const { ready, apiKey, call, child, stdout, ended } = await startServe([], env)
    expect(ready).toEqual({
      event: 'ready',
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      api_key_file: join(env.MEETROOM_DATA_DIR, 'api-key'),
      pid: child.pid,
    })
    expect((await call('GET', '/rooms')).status).toBe(200)
    expect(apiKey).toMatch(/^local_[\w-]{32}$/)
    expect(statSync(ready.api_key_file).mode & 0o777).toBe(0o600)
    child.kill('SIGTERM')
    await ended()
    expect(stdout.all).toHaveLength(1)
    expect((await startServe([], env)).apiKey).toBe(apiKey)
  })

  test('serve that is ready prints the base URL and export commands for a shell', async () => {
    const env = homes()
    const running = startBuilt(['serve', '--port', '0'], env)
    const url = await running.stdout.next()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    await running.logged(/MEETROOM_API_KEY/)
    expect(running.log()).toContain(`export MEETROOM_BASE_URL=${url}`)
    expect(running.log()).toContain(`"$(cat ${join(env.MEETROOM_DATA_DIR, 'api-key')})"`)
    expect(running.log()).not.toContain('warning')
  })
})

describe('the API key of serve', () => {
  test('the API key of serve is written to the file of --api-key-file if the file does not exist', async () => {
    const env = homes()
    const file = join(env.HOME, 'key')
    const made = await startServe(['--api-key-file', file], env)
    expect(made.ready.api_key_file).toBe(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await made.call('GET', '/rooms')).status).toBe(200)
    expect(existsSync(join(env.MEETROOM_DATA_DIR, 'api-key'))).toBe(false)
  })

  test('the API key of serve is read from the file of --api-key-file if the file exists', async () => {
    const env = homes()
    const file = join(env.HOME, 'key')
    writeFileSync(file, 'mine\n')
    const { call, apiKey } = await startServe(['--api-key-file', file], env)
    expect((await call('GET', '/rooms')).status).toBe(200)
    expect(apiKey).toBe('mine')
  })
})

describe('serve during shutdown', () => {
  test('serve during shutdown closes every session with a reason, exits 0, and ends all sessions in the local workspace', async () => {
    const env = homes()
    const first = await startServe([], env)
    const room = await first.createRoom()
    const webSocket = await joinRoom(first.ready, room)
    first.child.kill('SIGTERM')
    const [code, reason] = await soon('the connection to be closed', once(webSocket, 'close'))
    expect({ code, reason: String(reason) }).toEqual({ code: 1001, reason: 'the service is stopping' })
    expect(await first.ended()).toEqual({ code: 0, signal: null })
    const { call } = await startServe([], env)
    const { sessions } = (await call('GET', `/rooms/${room}/sessions`)).body
    expect(sessions).toMatchObject([{ disconnected_at: expect.any(String) }])
  })

  test('serve during shutdown exits within five seconds despite a silent client and an unfinished request', async () => {
    const { ready, createRoom, child, ended } = await startServe([], homes())
    const room = await createRoom()
    const deaf = await openSocket(ready.base_url)
    deaf.write(rawRequest(`GET /v1/rooms/${room}/connect`, { host: 'localhost', ...upgradeHeaders }))
    await soon('the connection to the room', once(deaf, 'data'))
    const slow = await openSocket(ready.base_url)
    slow.write(
      rawRequest('POST /v1/users', { host: 'localhost', expect: '100-continue', 'content-length': '9' }),
    )
    await soon('the service to want the body', once(slow, 'data'))
    for (const socket of [deaf, slow]) socket.on('error', () => {})
    const began = performance.now()
    child.kill('SIGTERM')
    expect(await ended()).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(5000)
  })
})

describe('serve', () => {
  test('serve responds to commands with --local, and prevents other processes from serving the local workspace', async () => {
    const env = homes()
    const { ready, call, logged } = await startServe([], env)
    const { code, stdout, stderr } = await runBuilt(['serve', '--port', '0', '--json'], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`already served at ${ready.base_url} by process ${ready.pid}`),
      hint: expect.stringContaining('--data-dir'),
    })
    const created = await runBuilt(['--local', 'rooms', 'create', '--name', 'R', '--type', 'open'], env)
    expect(created.code).toBe(0)
    expect(await logged(/ POST \/v1\/rooms 200 /)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /)
    expect((await call('GET', '/rooms')).body.rooms).toMatchObject([{ name: 'R' }])
  })

  test('serve with another data directory serves a separate local workspace', async () => {
    const env = homes()
    const one = await startServe([], env)
    const other = await startServe(['--data-dir', join(env.HOME, 'other')], env)
    await one.createRoom()
    expect((await other.call('GET', '/rooms')).body.rooms).toEqual([])
  })

  test('serve releases the local workspace when it is killed', async () => {
    const env = homes()
    const killed = await startServe([], env)
    const room = await killed.createRoom()
    killed.child.kill('SIGKILL')
    await killed.ended()
    const listed = await runBuilt(['--local', 'rooms', 'list', '-o', 'ids'], env)
    expect(listed).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
    const { call } = await startServe([], env)
    expect((await call('GET', `/rooms/${room}`)).status).toBe(200)
  })
})

describe('serve', () => {
  test('serve with --print-env prints shell assignments that omit the key, and rooms link --local prints the link to a room page', async () => {
    const env = { ...homes() }
    const { ready, createRoom, apiKey } = await startServe([], env)
    const room = await createRoom()
    const line = 'eval "$(meetroom serve --print-env)" && meetroom rooms list -o ids'
    expect(await runShell(line, env)).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
    const printed = await runBuilt(['serve', '--print-env'], env)
    expect(printed.stdout).toContain(`export MEETROOM_BASE_URL=${ready.base_url}\n`)
    expect(printed.stdout).not.toContain(apiKey)
    const link = await runBuilt(['rooms', 'link', room, '--local'], env)
    const { origin } = new URL(ready.base_url)
    expect(link).toEqual({ code: 0, stdout: `${origin}/rooms/${room}\n`, stderr: '' })
    const page = await fetch(link.stdout.trim())
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await page.text()).toContain('<title>Room</title>')
  })

  test('serve with --print-env quotes a directory whose name contains spaces and quotes', async () => {
    const env = homes()
    const dir = join(env.HOME, "it's a folder; $HOME")
    const { createRoom } = await startServe(['--data-dir', dir], env)
    const room = await createRoom()
    const line = 'eval "$(meetroom serve --print-env --data-dir "$DIR")" && meetroom rooms list -o ids'
    expect(await runShell(line, { ...env, DIR: dir })).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
  })

  test('serve with --print-env prints the base URL and the path of the key file even if no server is running', async () => {
    const env = homes()
    const port = await findFreePort()
    const { stdout } = await runHere(['serve', '--print-env', '--port', `${port}`], { env })
    expect(stdout).toContain(`export MEETROOM_BASE_URL=http://127.0.0.1:${port}/v1\n`)
    expect(stdout).toContain(join(env.MEETROOM_DATA_DIR, 'api-key'))
  })

  test('serve with --save-profile creates a profile for the server', async () => {
    const env = homes()
    const { createRoom } = await startServe(['--save-profile', 'here'], env)
    const room = await createRoom()
    const listed = await runBuilt(['--profile', 'here', 'rooms', 'list', '-o', 'ids'], env)
    expect(listed).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
  })

  test('serve with a malformed name for --save-profile exits 2 before the server starts', async () => {
    const env = homes()
    const { code, stderr } = await runHere(['serve', '--save-profile', 'no name'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('“no name” is not a valid profile name')
    expect(existsSync(env.MEETROOM_DATA_DIR)).toBe(false)
  })
})

/** Returns the files in a directory, without the code cache of the launcher. */
const listFiles = (dir: string) => readdirSync(dir).filter((name) => name !== '.cache')

describe('serve --ephemeral', () => {
  test('serve --ephemeral serves a new workspace, and removes all created files when it stops', async () => {
    const env = homes()
    const { ready, createRoom, child, ended } = await startServe(['--ephemeral'], env)
    const other = await startServe(['--ephemeral'], env)
    await joinRoom(ready, await createRoom())
    expect((await other.call('GET', '/rooms')).body.rooms).toEqual([])
    await other.stop()
    expect(statSync(ready.api_key_file).mode & 0o777).toBe(0o600)
    child.kill('SIGTERM')
    expect(await ended()).toEqual({ code: 0, signal: null })
    expect(listFiles(env.HOME)).toEqual([])
  })

  test('serve --ephemeral keeps the file of --api-key-file', async () => {
    const env = homes()
    const file = join(env.HOME, 'key')
    const { ready, child, ended } = await startServe(['--ephemeral', '--api-key-file', file], env)
    expect(ready.api_key_file).toBe(file)
    child.kill('SIGTERM')
    await ended()
    expect(listFiles(env.HOME)).toEqual(['key'])
  })

  test.each(['--data-dir=x', '--print-env'])('serve --ephemeral refuses %s', async (flag) => {
    expect((await runRefused('--ephemeral', flag)).code).toBe(2)
  })
})

describe('the log of serve', () => {
  test('the log of serve contains one line for each request and each connection, and no keys or tokens', async () => {
    const { ready, call, createRoom, apiKey, logged, log } = await startServe([], homes())
    const room = await createRoom()
    const { user } = (await call('POST', '/users', { user_id: 'ada' })).body
    await call('GET', '/users?email=ada%40example.com')
    await joinRoom(ready, room, `?access_token=${user.access_token}`)
    await logged(/ connect \S+ joined \S+$/)
    await expect(joinRoom(ready, room, '?access_token=not-a-token')).rejects.toThrow('400')
    await logged(/ connect .*not valid \S+$/)
    const lines = log().split('\n')
    expect(
      lines.map((line) => line.replace(/^\S+Z /, '').replace(/( [\d.]+ ms)? [\da-f]{12}-\w+$/, '')),
    ).toEqual([
      'POST /v1/rooms 200',
      'POST /v1/users 200',
      'GET /v1/users 200',
      `connect ${room} joined`,
      expect.stringMatching(/^connect .*the access token is not valid$/),
    ])
    for (const secret of [apiKey, user.access_token, 'not-a-token', 'example.com'])
      expect(log()).not.toContain(secret)
    // A line break in a path cannot forge a log line.
    await call('GET', '/rooms/%0A2026-01-01T00:00:00.000Z%20GET%20%2Fforged%20200')
    expect(await logged(/ GET \/v1\/rooms\//)).toContain('%0A2026')
  })

  test('the log of serve contains one JSON object per line with --log-format json, and is written only to standard error', async () => {
    const { ready, createRoom, child, ended, logged, log } = await startServe(
      ['--log-format', 'json'],
      homes(),
    )
    const room = await createRoom()
    await joinRoom(ready, room)
    await logged(/"event":"connect"/)
    child.kill('SIGTERM')
    expect(await ended()).toEqual({ code: 0, signal: null })
    const entries = log()
      .split('\n')
      .map((line) => JSON.parse(line))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const request_id = expect.stringMatching(/^[\da-f]{12}-\w+$/)
    const request = { time, event: 'request', method: 'POST', path: '/v1/rooms', status: 200, request_id }
    expect(entries).toEqual([
      { ...request, ms: expect.any(Number) },
      { time, event: 'connect', room_id: room, outcome: 'joined', request_id },
      { time, event: 'notice', message: 'stopping' },
    ])
  })

  test('the log of serve is empty with -q', async () => {
    const { ready, createRoom, child, ended, log } = await startServe(['-q'], homes())
    await joinRoom(ready, await createRoom())
    child.kill('SIGTERM')
    expect((await ended()).code).toBe(0)
    expect(log()).toBe('')
  })
})

describe('serve', () => {
  test('serve exits 2 and releases the data directory when the port is in use', async () => {
    const env = homes()
    const port = await listen(createServer())
    expect(await runHere(['serve', '--port', String(port)], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: another program is already listening on 127.0.0.1:${port}\nhint: pass another port, such as --port ${port + 1}; 0 selects a free port\n`,
    })
    await startServe([], env)
  })

  test('serve on 0.0.0.0 prints a warning', async () => {
    const { logged } = await startServe(['--host', '0.0.0.0'], homes())
    expect(await logged(/warning/)).toBe('warning: other machines can reach 0.0.0.0 without encryption')
  })

  test.each(['::1', 'localhost'])('serve on the loopback host %s prints no warning', async (host) => {
    const { call, child, ended, log } = await startServe(['--host', host], homes())
    expect((await call('GET', '/rooms')).status).toBe(200)
    child.kill('SIGTERM')
    await ended()
    expect(log()).not.toContain('warning')
  })

  test.each(['65536', '-1', 'http', '1.5'])('serve refuses --port=%s', async (port) => {
    expect((await runRefused(`--port=${port}`)).code).toBe(2)
  })

  test.each([
    ['a\u202eb', 'the program cannot listen on a\\u202eb:4680: '],
    ['a'.repeat(300), 'the program cannot listen on aaa'],
    ['', '--host is empty\nhint: 0.0.0.0 listens on all interfaces\n'],
  ])('serve refuses --host %j', async (host, words) => {
    const { code, stderr } = await runRefused('--host', host)
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${words}`)
  })

  test('serve refuses --host with an IP address of another machine', async () => {
    const { code, stderr } = await runRefused('--host', '192.0.2.1')
    expect(code).toBe(2)
    expect(stderr).toContain(
      'the program cannot listen on 192.0.2.1:4680: this machine does not have that IP address',
    )
  })
})

describe('serve with webhooks', () => {
  test('serve with webhooks sends the documented body, and sends the join of a session before the leave', async () => {
    const { ready, createRoom } = await startServe([], homes())
    const { url, inbox } = await startReceiver()
    const room = await createRoom({ webhook: { url, headers: { 'X-Token': 't' } } })
    const webSocket = await joinRoom(ready, room)
    const joined = await inbox.next()
    webSocket.close()
    const left = await inbox.next()
    expect(joined.headers).toMatchObject({ 'x-token': 't', 'content-type': 'application/json' })
    expect([joined, left].map(({ body }) => JSON.parse(body))).toEqual(
      (['sessionJoined', 'sessionLeft'] as const).map((action, i) => ({
        action,
        payload: {
          roomId: room,
          memberId: expect.any(String),
          sessionId: expect.any(String),
          sessionsCount: 1 - i,
          membersCount: 1 - i,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      })),
    )
  })

  test('serve with webhooks retries a webhook after a failure, and retries sooner with a smaller --webhook-retry-scale', async () => {
    const { ready, createRoom } = await startServe(['--webhook-retry-scale', '0.001'], homes())
    let failures = 3
    const { url, inbox } = await startReceiver((_, response) => {
      response.writeHead(failures-- > 0 ? 503 : 200).end()
    })
    await joinRoom(ready, await createRoom({ webhook: { url } }))
    const posts: Received[] = []
    for (let i = 0; i < 4; i++) posts.push(await inbox.next())
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  })

  test('serve with webhooks resends webhooks whose delivery was interrupted when the previous server was killed', async () => {
    const env = homes()
    const killed = await startServe([], env)
    // The first post gets no response before the process is killed.
    let answers = false
    const { url, inbox } = await startReceiver((_, response) => {
      if (answers) response.end()
    })
    await joinRoom(killed.ready, await killed.createRoom({ webhook: { url } }))
    const first = await inbox.next()
    killed.child.kill('SIGKILL')
    await killed.ended()
    answers = true
    await startServe([], env)
    const again = await inbox.next()
    expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(again.body).toBe(first.body)
    // The end of the sessions of the killed process causes an event.
    expect(JSON.parse((await inbox.next()).body)).toMatchObject({
      action: 'sessionLeft',
      payload: { sessionsCount: 0, membersCount: 0 },
    })
  })

  test('serve sends no webhooks to private IP addresses by default', async () => {
    const { ready, createRoom, logged } = await startServe([], homes())
    const url = 'http://169.254.169.254/latest'
    await joinRoom(ready, await createRoom({ webhook: { url } }))
    expect(await logged(/ webhook /)).toMatch(/ webhook msg_\w+ 169\.254\.169\.254 forbidden$/)
  })

  test('serve --allow-private-webhooks sends webhooks to private IP addresses', async () => {
    const { ready, createRoom } = await startServe(['--allow-private-webhooks'], homes())
    const { port, inbox } = await startReceiver()
    // 0.0.0.0 is the only private address that is certainly this machine.
    await joinRoom(ready, await createRoom({ webhook: { url: `http://0.0.0.0:${port}/` } }))
    expect(JSON.parse((await inbox.next()).body)).toMatchObject({ action: 'sessionJoined' })
  })

  test.each(['0', '-1', 'x', ''])(
    'serve with webhooks exits 2 for --webhook-retry-scale=%s',
    async (scale) => {
      expect((await runRefused(`--webhook-retry-scale=${scale}`)).code).toBe(2)
    },
  )
})

test('serve keeps responding after 200 clients reset their connections during a refused upgrade', async () => {
  const { ready, call } = await startServe([], homes())
  const foreign = rawRequest('GET /v1/rooms/none/connect', {
    host: 'localhost',
    origin: 'http://evil.test',
    ...upgradeHeaders,
  })
  for (let i = 0; i < 200; i++) {
    const socket = await openSocket(ready.base_url)
    await new Promise<void>((resolve) => socket.write(foreign, () => resolve()))
    socket.resetAndDestroy()
  }
  expect((await call('GET', '/rooms')).status).toBe(200)
})

describe('the room page of a running service', () => {
  test('the room page of a running service can be embedded by the origin of --allow-embed', async () => {
    const { ready } = await startServe(['--allow-embed', 'https://LMS.example.com/'], homes())
    const page = await fetch(`${new URL(ready.base_url).origin}/rooms/r`)
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://lms.example.com;')
  })

  test.each([
    ...['*', 'lms.example.com', 'https://lms.example.com/x', 'http://lms.example.com', "'self'"],
    ...['https://*.example.com', 'https://a";script-src*b.com', 'https://a.com;b', 'https://u@a.com'],
    ...['https://a.com?', 'https://a_b.com', 'https://a.com:99999', 'https://[::1', 'https:a.com'],
  ])(
    'the room page of a running service can be embedded only by https origins, so --allow-embed “%s” exits 2',
    async (origin) => {
      const { code, stdout, stderr } = await runRefused('--allow-embed', origin)
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: --allow-embed must be an https origin, not “${origin}”\n` +
          'hint: an origin is scheme, host and port, as in https://lms.example.com\n',
      })
    },
  )
})
