import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openSocket, rawRequest, sendRaw, statusLine, upgradeHeaders } from '../../helpers/raw.ts'
import { serveHere } from '../../helpers/serve-here.ts'

const megabyte = 1024 * 1024

async function startService() {
  const serving = await serveHere()
  const authorization = `Bearer ${serving.apiKey}`
  const post = (headers: Record<string, string>, body = '', path = '/users') =>
    sendRaw(
      serving.origin,
      rawRequest(`POST /v1${path}`, {
        host: 'localhost',
        authorization,
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      }),
      body,
    )
  const room = async () => {
    const json = { 'content-type': 'application/json' }
    const text = await post(json, JSON.stringify({ name: 'Open', type: 'open' }), '/rooms')
    return JSON.parse(text.split('\r\n\r\n')[1] ?? '').room.id as string
  }
  const join = async () => {
    const webSocket = new WebSocket(`${serving.baseUrl.replace('http', 'ws')}/rooms/${await room()}/connect`)
    await once(webSocket, 'message')
    return webSocket
  }
  return { ...serving, authorization, post, join }
}

describe('the type of a request body', () => {
  const user = JSON.stringify({ user_id: 'ada' })

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'the embedded service accepts a request body of the type %s',
    async (type) => {
      const { post } = await startService()
      expect(statusLine(await post({ 'content-type': type }, user))).toBe('HTTP/1.1 200 OK')
    },
  )
})

describe('the embedded service', () => {
  test('the embedded service responds with 431 to headers of more than 16 KiB', async () => {
    const { post } = await startService()
    const text = await post({ 'x-padding': 'x'.repeat(16 * 1024) })
    expect(statusLine(text)).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  })

  test('the embedded service responds with 431 to a request line of more than 16 KiB', async () => {
    const { origin } = await startService()
    const line = `GET /v1/rooms?name=${'x'.repeat(16 * 1024)}`
    const text = await sendRaw(origin, rawRequest(line, { host: 'localhost' }))
    expect(statusLine(text)).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  })

  test('the embedded service responds with 400 to a body of more than 10 MiB', async () => {
    const { post } = await startService()
    const text = await post({ 'content-type': 'application/json' }, ' '.repeat(10 * megabyte + 1))
    expect(statusLine(text)).toBe('HTTP/1.1 400 Bad Request')
    expect(text).toContain('the body is larger than 10485760 bytes')
  })

  test('the embedded service responds with 400 to a chunked body of more than 10 MiB', async () => {
    const { origin, authorization } = await startService()
    const head = rawRequest('POST /v1/users', {
      host: 'localhost',
      authorization,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    })
    const chunk = `${megabyte.toString(16)}\r\n${' '.repeat(megabyte)}\r\n`
    const text = await sendRaw(origin, head, ...Array<string>(11).fill(chunk))
    expect(statusLine(text)).toBe('HTTP/1.1 400 Bad Request')
  })

  test('the embedded service excludes a ping frame from the size limit of the preceding message', async () => {
    const { join } = await startService()
    const webSocket = await join()
    webSocket.send('x'.repeat(16 * 1024))
    webSocket.ping()
    await once(webSocket, 'pong')
    webSocket.close(1000)
    const [code] = await once(webSocket, 'close')
    expect(code).toBe(1000)
  })
})

test.each([
  ['is refused for its origin', { origin: 'http://evil.test' }],
  ['is refused for its room', {}],
])('the embedded service stops despite a half-open connection of a client that %s', async (_, headers) => {
  const { origin, close } = await startService()
  const socket = await openSocket(origin, { allowHalfOpen: true })
  socket.write(rawRequest('GET /v1/rooms/none/connect', { host: 'localhost', ...upgradeHeaders, ...headers }))
  socket.resume()
  await once(socket, 'end')
  await close()
})
