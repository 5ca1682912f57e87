import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../src/embedded/http/server.ts'
import { rawRequest, sendRaw, statusLine, upgradeHeaders } from '../../helpers/raw.ts'
import { serveHere } from '../../helpers/serve-here.ts'
import { openTestWorkspace } from '../../helpers/wire.ts'

const done = 'HTTP/1.1 200 OK'
const refused = 'HTTP/1.1 400 Bad Request'

async function startService(hosts: readonly string[] = ['meet.example'], host = '127.0.0.1') {
  const { service, apiKey } = await openTestWorkspace()
  const server = await serveHttp(service, { host, port: 0, hosts })
  onTestFinished(() => server.close())
  const origin = server.url.replace('0.0.0.0', '127.0.0.1')
  return {
    async ask(headers: Record<string, string>) {
      const text = await sendRaw(
        origin,
        rawRequest('GET /v1/rooms', { authorization: `Bearer ${apiKey}`, ...headers }),
      )
      return { status: statusLine(text), text }
    },
  }
}

describe('the Host header', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:4680',
    '127.1.2.3',
    'localhost',
    'localhost:1',
    'LocalHost',
    'meet.localhost',
    '[::1]',
    '[::1]:4680',
    'meet.example',
    'MEET.example:443',
  ])('serve --allow-host meet.example accepts the Host header %s', async (host) => {
    const { ask } = await startService()
    expect((await ask({ host })).status).toBe(done)
  })

  test.each(['evil.test', 'sub.meet.example', 'meet.example.evil.test', 'notmeet.example', 'meet.example.'])(
    'serve --allow-host meet.example refuses the Host header “%s”',
    async (host) => {
      const { ask } = await startService()
      const { status, text } = await ask({ host })
      expect(status).toBe(refused)
      expect(text).not.toContain('"rooms"')
    },
  )

  test('the embedded service on 0.0.0.0 accepts IP addresses but no foreign host name in the Host header', async () => {
    const { ask } = await startService([], '0.0.0.0')
    expect((await ask({ host: '10.0.0.1:4680' })).status).toBe(done)
    expect((await ask({ host: '[fd00::1]' })).status).toBe(done)
    expect((await ask({ host: 'evil.test' })).status).toBe(refused)
  })
})

describe('the Origin header', () => {
  test('the embedded service accepts its own origin in the Origin header', async () => {
    const { ask } = await startService()
    expect((await ask({ host: 'localhost:4680', origin: 'http://localhost:4680' })).status).toBe(done)
    expect((await ask({ host: 'meet.example', origin: 'https://meet.example' })).status).toBe(done)
  })
})

describe('a WebSocket request', () => {
  async function connectTo(headers: Record<string, string>): Promise<string> {
    const { origin, baseUrl, apiKey } = await serveHere({ hosts: ['meet.example'] })
    const created = await fetch(`${baseUrl}/rooms`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Open', type: 'open' }),
    })
    const { room } = (await created.json()) as { room: { id: string } }
    // A masked close frame follows the request directly.
    const close = Uint8Array.of(0x88, 0x80, 0, 0, 0, 0)
    const request = rawRequest(`GET /v1/rooms/${room.id}/connect`, { ...upgradeHeaders, ...headers })
    return sendRaw(origin, request, close)
  }

  test.each<Record<string, string>>([
    { host: 'localhost' },
    { host: 'meet.example' },
    { host: 'localhost:4680', origin: 'http://localhost:4680' },
  ])('the embedded service accepts a WebSocket request with the headers %j', async (headers) => {
    expect(statusLine(await connectTo(headers))).toBe('HTTP/1.1 101 Switching Protocols')
  })

  test('the embedded service refuses a WebSocket request whose Host only ends with an allowed name', async () => {
    expect(statusLine(await connectTo({ host: 'not-meet.example' }))).toBe(refused)
  })
})
