import { once } from 'node:events'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../helpers/command.ts'
import { findFreePort } from '../../../helpers/free-port.ts'
import { listen } from '../../../helpers/listen.ts'
import { openSocket, rawRequest } from '../../../helpers/raw.ts'
import { startReceiver } from '../../../helpers/receiver.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { homes, joinRoom, runServe } from '../../../helpers/run-serve.ts'
import { soon } from '../../../helpers/waiting.ts'

const runRefused = (...argv: string[]) => runHere(['serve', ...argv], { env: homes() })

describe('API key of serve', () => {
  test('serve --api-key-file reads the key from the file, and creates a missing file', async () => {
    const env = homes()
    const file = join(env.HOME, 'key')
    const { ready, call, stop } = await runServe(['--ephemeral', '--api-key-file', file], env)
    expect(ready.api_key_file).toBe(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await call('GET', '/rooms')).status).toBe(200)
    expect(await stop()).toBe(0)
    expect(readdirSync(env.HOME)).toEqual(['key'])
    writeFileSync(file, 'mine\n')
    const again = await runServe(['--api-key-file', file], env)
    expect((await again.call('GET', '/rooms')).status).toBe(200)
    expect(again.apiKey).toBe('mine')
    expect(existsSync(join(env.MEETROOM_DATA_DIR, 'api-key'))).toBe(false)
  })

  test('serve --save-profile refuses a key of fewer than eight characters and stores no profile', async () => {
    const env = homes()
    const file = join(env.HOME, 'key')
    writeFileSync(file, 'mine567\n')
    const argv = ['serve', '--port', '0', '--ephemeral', '--api-key-file', file, '--save-profile', 'here']
    expect(await runHere(argv, { env })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: the key must have at least 8 characters\n' +
        'hint: check that the key is complete; meetroom cannot mask shorter keys in its output\n',
    })
    expect(existsSync(join(env.MEETROOM_CONFIG_DIR, 'config.json'))).toBe(false)
  })
})

describe('serve', () => {
  test('serve responds to --local commands, and a second serve process for the same workspace exits 2', async () => {
    const env = homes()
    const { ready, call, logged } = await runServe([], env)
    const { code, stdout, stderr } = await runHere(['serve', '--port', '0', '--json'], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`already served at ${ready.base_url} by process ${ready.pid}`),
      hint: expect.stringContaining('--data-dir'),
    })
    const created = await runHere(['--local', 'rooms', 'create', '--name', 'R', '--type', 'open'], { env })
    expect(created.code).toBe(0)
    expect(await logged(/ POST \/v1\/rooms 200 /)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /)
    expect((await call('GET', '/rooms')).body.rooms).toMatchObject([{ name: 'R' }])
    const other = await runServe(['--data-dir', join(env.HOME, 'other')], env)
    expect((await other.call('GET', '/rooms')).body.rooms).toEqual([])
  })

  test('serve --print-env prints shell assignments that read the key from the key file', async () => {
    const env = homes()
    env.MEETROOM_DATA_DIR = join(env.HOME, "it's a folder; $HOME")
    const { ready, createRoom, apiKey } = await runServe([], env)
    const printed = await runHere(['serve', '--print-env'], { env })
    expect(printed.stdout).not.toContain(apiKey)
    const shown = await runCommand('sh', ['-c', `${printed.stdout} env | grep ^MEETROOM_ | sort`], {})
    expect(shown.stdout).toBe(`MEETROOM_API_KEY=${apiKey}\nMEETROOM_BASE_URL=${ready.base_url}\n`)
    const room = await createRoom()
    const link = await runHere(['rooms', 'link', room, '--local'], { env })
    const { origin } = new URL(ready.base_url)
    expect(link).toEqual({ code: 0, stdout: `${origin}/rooms/${room}\n`, stderr: '' })
    const page = await fetch(link.stdout.trim())
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await page.text()).toContain('<title>Room</title>')
  })

  test('serve --print-env prints the base URL and the key file path without a running server', async () => {
    const env = homes()
    const port = await findFreePort()
    const { stdout } = await runHere(['serve', '--print-env', '--port', `${port}`], { env })
    expect(stdout).toContain(`export MEETROOM_BASE_URL=http://127.0.0.1:${port}/v1\n`)
    expect(stdout).toContain(join(env.MEETROOM_DATA_DIR, 'api-key'))
  })

  test('serve --profile selects the data directory of the profile and refuses an unknown profile', async () => {
    const env = homes()
    const { ready, logged } = await runServe(['--save-profile', 'here'], env)
    await logged(/^stored profile here$/)
    const elsewhere = { ...env, MEETROOM_DATA_DIR: join(env.HOME, 'other') }
    const { stdout } = await runHere(['serve', '--print-env', '--profile', 'here'], { env: elsewhere })
    expect(stdout).toContain(`export MEETROOM_BASE_URL=${ready.base_url}\n`)
    const unknown = await runHere(['serve', '--print-env', '--profile', 'other'], { env: elsewhere })
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('other') })
  })

  test('serve --save-profile stores a profile, and --allow-embed lets an origin embed the room page', async () => {
    const env = homes()
    const embed = ['--allow-embed', 'https://LMS.example.com/']
    const { createRoom, ready, logged } = await runServe(['--save-profile', 'here', ...embed], env)
    await logged(/^stored profile here$/)
    const room = await createRoom()
    const listed = await runHere(['--profile', 'here', 'rooms', 'list', '-o', 'ids'], { env })
    expect(listed).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
    const page = await fetch(`${new URL(ready.base_url).origin}/rooms/r`)
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://lms.example.com;')
  })

  test('serve --save-profile with an invalid profile name exits 2 before the server starts', async () => {
    const env = homes()
    const { code, stderr } = await runHere(['serve', '--save-profile', 'no name'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('“no name” is not a valid profile name')
    expect(existsSync(env.MEETROOM_DATA_DIR)).toBe(false)
  })
})

describe('serve --ephemeral', () => {
  test('serve --ephemeral serves an empty workspace, and deletes its files when it stops', async () => {
    const env = homes()
    const { ready, createRoom, stop } = await runServe(['--ephemeral'], env)
    const other = await runServe(['--ephemeral'], env)
    await joinRoom(ready, await createRoom())
    expect((await other.call('GET', '/rooms')).body.rooms).toEqual([])
    expect(statSync(ready.api_key_file).mode & 0o777).toBe(0o600)
    expect(await stop()).toBe(0)
    expect(readdirSync(env.HOME)).toEqual([])
    expect(existsSync(dirname(ready.api_key_file))).toBe(false)
  })

  test.each([
    ['--data-dir=x', '--ephemeral and --data-dir'],
    ['--print-env', '--print-env and --ephemeral'],
  ])('serve --ephemeral with %s exits 2', async (flag, both) => {
    expect(await runRefused('--ephemeral', flag)).toMatchObject({
      code: 2,
      stderr: `error: ${both} cannot be used together\n`,
    })
  })
})

describe('log of serve', () => {
  test('the serve log contains one line per request and connection, without keys or tokens', async () => {
    const { ready, call, createRoom, apiKey, logged, log } = await runServe([])
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

  test('serve --log-format json logs one JSON object per line', async () => {
    const { ready, createRoom, stop, logged, log } = await runServe(['--log-format', 'json'])
    const room = await createRoom()
    await joinRoom(ready, room)
    await logged(/"event":"connect"/)
    expect(await stop()).toBe(0)
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

  test('serve -q logs nothing', async () => {
    const { ready, createRoom, stop, log } = await runServe(['-q'])
    await joinRoom(ready, await createRoom())
    expect(await stop()).toBe(0)
    expect(log()).toBe('')
  })
})

describe('stop of serve', () => {
  const keepAlive = { host: 'localhost', connection: 'keep-alive' }

  /** Requests a response of 12 MB from a service, and stops reading at its beginning. */
  async function pauseResponse({ ready, apiKey, call }: Awaited<ReturnType<typeof runServe>>) {
    for (let i = 0; i < 200; i++) await call('POST', '/users', { user_id: `u${i}`, note: 'x'.repeat(60_000) })
    const socket = await openSocket(ready.base_url)
    const authorization = `Bearer ${apiKey}`
    socket.write(rawRequest('GET /v1/users?limit=1000', { ...keepAlive, authorization }))
    const [start] = await once(socket, 'data')
    socket.pause()
    const [head = ''] = String(start).split('\r\n\r\n')
    const missing = Number(/content-length: (\d+)/i.exec(head)?.[1]) + head.length + 4 - start.length
    return { socket, missing }
  }

  /** Sends a request without the end of its body. */
  async function startUpload({ ready, apiKey }: Awaited<ReturnType<typeof runServe>>, body: string) {
    const socket = await openSocket(ready.base_url)
    const headers = { ...keepAlive, authorization: `Bearer ${apiKey}`, expect: '100-continue' }
    const type = { 'content-type': 'application/json', 'content-length': `${body.length}` }
    socket.write(rawRequest('POST /v1/users', { ...headers, ...type }))
    await once(socket, 'data')
    return socket
  }

  const outcomesIn = (log: string) =>
    log
      .split('\n')
      .filter((line) => !line.includes(' POST /v1/users 200 '))
      .map((line) => line.replace(/^\S+Z /, '').replace(/ [\d.]+ ms [\da-f]{12}-\w+$/, ''))

  test('serve sends a response that its client reads slowly before it stops with exit code 0', async () => {
    const serving = await runServe([])
    const { socket, missing } = await pauseResponse(serving)
    const stopped = serving.stop()
    await serving.logged(/^stopping$/)
    let received = 0
    socket.resume().on('data', (chunk) => {
      received += chunk.length
    })
    expect(await stopped).toBe(0)
    await soon('the end of the response', once(socket, 'close'))
    expect(received).toBe(missing)
    expect(outcomesIn(serving.log())).toEqual(['stopping', 'GET /v1/users 200'])
  })

  test('serve receives the rest of a request body before it stops with exit code 0', async () => {
    const serving = await runServe([])
    const body = JSON.stringify({ user_id: 'ada' })
    const socket = await startUpload(serving, body)
    const stopped = serving.stop()
    await serving.logged(/^stopping$/)
    socket.write(body)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(await stopped).toBe(0)
  })

  test('serve cuts pending requests after --drain-timeout, logs them as cut and exits 143', async () => {
    const serving = await runServe(['--drain-timeout', '50ms'])
    await pauseResponse(serving)
    await startUpload(serving, 'incomplete')
    expect(await serving.stop()).toBe(143)
    // The order in which the connections close is not defined.
    expect(outcomesIn(serving.log()).sort()).toEqual([
      '1 request took too long to finish and was cut off',
      'GET /v1/users 200 cut',
      'POST /v1/users cut',
      'stopping',
      '{"error":{"code":"interrupted","message":"interrupted","retryable":false}}',
    ])
  })
})

describe('host and port of serve', () => {
  test('serve exits 2 and releases the data directory if the port is in use', async () => {
    const env = homes()
    const port = await listen(createServer())
    expect(await runHere(['serve', '--port', String(port)], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: another program is already listening on 127.0.0.1:${port}\nhint: select a free port: meetroom serve --port 0\n`,
    })
    await runServe([], env)
  })

  test('serve --host 0.0.0.0 warns about unencrypted access from other machines', async () => {
    const { logged } = await runServe(['--host', '0.0.0.0'])
    expect(await logged(/warning/)).toBe('warning: other machines can reach 0.0.0.0 without encryption')
  })

  test.each(['::1', 'localhost'])('serve --host %s prints no warning', async (host) => {
    const { call, stop, log } = await runServe(['--host', host])
    expect((await call('GET', '/rooms')).status).toBe(200)
    await stop()
    expect(log()).not.toContain('warning')
  })

  test.each(['65536', '-1', 'http', '1.5'])('serve --port=%s exits 2', async (port) => {
    expect(await runRefused(`--port=${port}`)).toMatchObject({
      code: 2,
      stderr: `error: --port must be a whole number, from 0 to 65535, not “${port}”\n`,
    })
  })

  test.each([
    ['a\u202eb', 'cannot listen on a\\u202eb:4680: '],
    ['a'.repeat(300), 'cannot listen on aaa'],
    ['', '--host is empty\nhint: 0.0.0.0 listens on all interfaces\n'],
    ['192.0.2.1', 'cannot listen on 192.0.2.1:4680: this machine does not have that IP address'],
  ])('serve exits 2 for the unusable host %j', async (host, words) => {
    const { code, stderr } = await runRefused('--host', host)
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${words}`)
  })
})

describe('serve with webhooks', () => {
  test('serve sends the webhooks sessionJoined and sessionLeft with the documented body', async () => {
    const { ready, createRoom } = await runServe([])
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

  test('serve retries a webhook with the same ID and body after a 503', async () => {
    const { ready, createRoom } = await runServe(['--webhook-retry-scale', '0.001'])
    let failures = 3
    const { url, inbox } = await startReceiver((_, response) => {
      response.writeHead(failures-- > 0 ? 503 : 200).end()
    })
    await joinRoom(ready, await createRoom({ webhook: { url } }))
    const posts = [await inbox.next(), await inbox.next(), await inbox.next(), await inbox.next()]
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  })

  test('serve sends webhooks to private IP addresses only with --allow-private-webhooks', async () => {
    const { ready, createRoom, logged } = await runServe([])
    const url = 'http://169.254.169.254/latest'
    await joinRoom(ready, await createRoom({ webhook: { url } }))
    expect(await logged(/ webhook /)).toMatch(/ webhook msg_\w+ 169\.254\.169\.254 forbidden$/)
    const open = await runServe(['--allow-private-webhooks'])
    const { port, inbox } = await startReceiver()
    // 0.0.0.0 is forbidden by default, and reaches this machine.
    await joinRoom(open.ready, await open.createRoom({ webhook: { url: `http://0.0.0.0:${port}/` } }))
    expect(JSON.parse((await inbox.next()).body)).toMatchObject({ action: 'sessionJoined' })
  })

  test.each(['0', '-1', 'x', ''])('serve --webhook-retry-scale=%s exits 2', async (scale) => {
    expect(await runRefused(`--webhook-retry-scale=${scale}`)).toMatchObject({
      code: 2,
      stderr: `error: --webhook-retry-scale must be a number above 0, not “${scale}”\n`,
    })
  })
})

test.each([
  ...['*', 'lms.example.com', 'https://lms.example.com/x', 'http://lms.example.com', "'self'"],
  ...['https://*.example.com', 'https://a";script-src*b.com', 'https://a.com;b', 'https://u@a.com'],
  ...['https://a.com?', 'https://a_b.com', 'https://a.com:99999', 'https://[::1', 'https:a.com'],
])('serve --allow-embed “%s” exits 2 because the value is not an https origin', async (origin) => {
  const { code, stdout, stderr } = await runRefused('--allow-embed', origin)
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `error: --allow-embed must be an https origin, not “${origin}”\n` +
      'hint: an origin is scheme, host and port, as in https://lms.example.com\n',
  })
})
