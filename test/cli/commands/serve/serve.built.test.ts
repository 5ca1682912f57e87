import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openSocket, rawRequest, upgradeHeaders } from '../../../helpers/raw.ts'
import { startReceiver } from '../../../helpers/receiver.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { homes, joinRoom, serviceOf, startBuilt, startServe } from '../../../helpers/serving.ts'
import { soon } from '../../../helpers/waiting.ts'

// Every test starts processes.
vi.setConfig({ testTimeout: 20_000 })

test('serve --json prints one line when ready, and closes the sessions at SIGTERM', async () => {
  const env = homes()
  const { ready, apiKey, createRoom, child, stdout, ended } = await startServe([], env)
  expect(ready).toEqual({
    event: 'ready',
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
    api_key_file: join(env.MEETROOM_DATA_DIR, 'api-key'),
    pid: child.pid,
  })
  expect(apiKey).toMatch(/^local_[\w-]{32}$/)
  expect(statSync(ready.api_key_file).mode & 0o777).toBe(0o600)
  const room = await createRoom()
  const webSocket = await joinRoom(ready, room)
  child.kill('SIGTERM')
  const [code, reason] = await soon('the connection to be closed', once(webSocket, 'close'))
  expect({ code, reason: String(reason) }).toEqual({ code: 1001, reason: 'the service is stopping' })
  expect(await ended()).toEqual({ code: 0, signal: null })
  expect(stdout.all).toHaveLength(1)
  const again = startBuilt(['serve', '--port', '0'], env)
  const url = await again.stdout.next()
  await again.logged(/MEETROOM_API_KEY/)
  expect(again.log()).toContain(`export MEETROOM_BASE_URL=${url}`)
  expect(again.log()).toContain(`"$(cat ${ready.api_key_file})"`)
  expect(again.log()).not.toContain('warning')
  const service = serviceOf({ ...ready, base_url: url })
  expect(service.apiKey).toBe(apiKey)
  const { sessions } = (await service.call('GET', `/rooms/${room}/sessions`)).body
  expect(sessions).toMatchObject([{ disconnected_at: expect.any(String) }])
})

test('serve responds after 200 connection resets, and stops within five seconds despite open connections', async () => {
  const { ready, createRoom, child, ended } = await startServe([], homes())
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

test('serve resends an interrupted webhook after the previous serve process is killed', async () => {
  const env = homes()
  const killed = await startServe([], env)
  // The first post gets no response before the process is killed.
  let answers = false
  const { url, inbox } = await startReceiver((_, response) => {
    if (answers) response.end()
  })
  const room = await killed.createRoom({ webhook: { url } })
  await joinRoom(killed.ready, room)
  const first = await inbox.next()
  killed.child.kill('SIGKILL')
  await killed.ended()
  const listed = await runHere(['--local', 'rooms', 'list', '-o', 'ids'], { env })
  expect(listed).toEqual({ code: 0, stdout: `${room}\n`, stderr: '' })
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
