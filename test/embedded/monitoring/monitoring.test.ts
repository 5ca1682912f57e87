import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { LogEntry } from '../../../src/embedded/common/log.ts'
import { createProcessHost } from '../../../src/host.ts'
import { Inbox } from '../../helpers/inbox.ts'
import { openSocket, rawRequest } from '../../helpers/raw.ts'
import { serveHere } from '../../helpers/serve-here.ts'

type Serving = Awaited<ReturnType<typeof serveHere>>

const authorize = ({ apiKey }: Serving) => ({ authorization: `Bearer ${apiKey}` })

async function ask({ baseUrl, apiKey }: Serving, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return fetch(baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}

async function readMetrics(serving: Serving): Promise<string[]> {
  const response = await fetch(`${serving.origin}/metrics`, { headers: authorize(serving) })
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return (await response.text()).split('\n')
}

function createMachineWithTimer(ms: number) {
  const host = createProcessHost()
  let fire = () => {}
  const after = (delay: number, work: () => void) => {
    if (delay !== ms) return host.after(delay, work)
    fire = work
    return () => {}
  }
  return { machine: Object.create(host, { after: { value: after } }), fire: () => fire() }
}

describe('health endpoints', () => {
  test('/healthz and /readyz respond with 200 without an API key', async () => {
    const serving = await serveHere()
    for (const [path, text] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
    ] as const) {
      const response = await fetch(serving.origin + path)
      expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text })
      expect((await fetch(serving.origin + path, { method: 'HEAD' })).status).toBe(200)
    }
  })

  test('/healthz responds with 400 to a foreign Host header', async () => {
    const { origin } = await serveHere()
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write('GET /healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 400 /)
    socket.destroy()
  })

  test('/readyz of a stopping service responds with 503 while /healthz responds with 200', async () => {
    const { machine, fire } = createMachineWithTimer(7777)
    const serving = await serveHere({ machine, drainDelayMs: 7777 })
    const closed = serving.close()
    const ready = await fetch(`${serving.origin}/readyz`)
    expect({ status: ready.status, text: await ready.text() }).toEqual({ status: 503, text: 'draining\n' })
    expect((await fetch(`${serving.origin}/healthz`)).status).toBe(200)
    expect((await ask(serving, 'GET', '/rooms')).status).toBe(200)
    fire()
    expect(await closed).toBe(0)
    await expect(fetch(`${serving.origin}/readyz`)).rejects.toThrow()
  })
})

describe('/metrics', () => {
  test('/metrics and the log show that a request without a response was cut', async () => {
    const log = new Inbox<LogEntry>('a log entry')
    const serving = await serveHere({ log: (entry) => log.put(entry) })
    const socket = await openSocket(serving.origin)
    const headers = {
      host: 'localhost',
      ...authorize(serving),
      expect: '100-continue',
      'content-length': '9',
    }
    socket.write(rawRequest('POST /v1/users', headers))
    await once(socket, 'data')
    socket.destroy()
    expect(await log.next()).toEqual({
      ...{ event: 'request', method: 'POST', path: '/v1/users', status: null, cut: true },
      ...{ ms: expect.any(Number), request_id: expect.any(String) },
    })
    const lines = (await readMetrics(serving)).filter((line) => line.startsWith('meetroom_requests_total'))
    expect(lines).toEqual(['meetroom_requests_total{operation="other",status="none"} 1'])
  })

  test('/metrics counts requests by operation and status', async () => {
    const serving = await serveHere()
    await ask(serving, 'POST', '/rooms', { name: 'R', type: 'open' })
    await ask(serving, 'POST', '/rooms', { name: 'R' })
    await ask(serving, 'GET', '/rooms')
    await ask(serving, 'GET', '/rooms')
    await ask(serving, 'GET', '/nothing')
    await fetch(`${serving.baseUrl}/rooms`)
    const lines = await readMetrics(serving)
    expect(lines.filter((line) => line.startsWith('meetroom_requests_total')).sort()).toEqual([
      'meetroom_requests_total{operation="createRoom",status="200"} 1',
      'meetroom_requests_total{operation="createRoom",status="400"} 1',
      'meetroom_requests_total{operation="listRooms",status="200"} 2',
      'meetroom_requests_total{operation="other",status="400"} 2',
    ])
    expect(lines).toContain('meetroom_request_duration_seconds_bucket{operation="listRooms",le="+Inf"} 2')
    expect(lines).toContain('meetroom_request_duration_seconds_count{operation="listRooms"} 2')
  })

  test('/metrics contains open sessions, waiting deliveries and process metrics', async () => {
    const serving = await serveHere()
    // Nothing listens on port 9, so the events wait.
    const webhook = { url: 'http://127.0.0.1:9/' }
    const made = await ask(serving, 'POST', '/rooms', { name: 'R', type: 'open', webhook })
    const { room } = (await made.json()) as { room: { id: string } }
    const socket = new WebSocket(`${serving.baseUrl.replace('http', 'ws')}/rooms/${room.id}/connect`)
    onTestFinished(() => socket.terminate())
    await once(socket, 'message')
    const lines = await readMetrics(serving)
    expect(lines).toContain('meetroom_open_sessions 1')
    expect(lines).toContain('meetroom_webhook_deliveries_waiting 1')
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
      expect(lines.some((line) => line.startsWith(`${name} `))).toBe(true)
  })

  test('/metrics requires the API key', async () => {
    const serving = await serveHere()
    const response = await fetch(`${serving.origin}/metrics`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { code: 'unauthorized', message: 'the API key is missing or invalid' },
    })
  })
})

describe('X-Request-Id', () => {
  const send = async (serving: Serving, id?: string, path = '/rooms') => {
    const headers = { ...authorize(serving), ...(id !== undefined && { 'x-request-id': id }) }
    return (await fetch(serving.baseUrl + path, { headers })).headers.get('x-request-id')
  }

  test.each(['abc', '0195-abc_DEF.7:1/2+3=@x', 'x'.repeat(128)])(
    'the embedded service returns the valid X-Request-Id “%s” unchanged',
    async (id) => {
      expect(await send(await serveHere(), id)).toBe(id)
    },
  )

  test.each(['', 'two words', 'a"b', 'ä', 'x'.repeat(129), 'a,b'])(
    'the embedded service replaces the invalid X-Request-Id “%s”',
    async (id) => {
      expect(await send(await serveHere(), id)).toMatch(/^[\da-f]{12}-1$/)
    },
  )

  test('the embedded service generates a different X-Request-Id for each request', async () => {
    const serving = await serveHere()
    const paths = ['/rooms', '/nothing', '/../healthz', '/../rooms/x', '/../metrics']
    const ids = []
    for (const path of paths) ids.push(await send(serving, undefined, path))
    expect(new Set(ids).size).toBe(paths.length)
    expect(ids.every((id) => /^[\da-f]{12}-\w+$/.test(id ?? ''))).toBe(true)
  })

  test('the embedded service logs and returns the X-Request-Id of a WebSocket handshake', async () => {
    const log: LogEntry[] = []
    const serving = await serveHere({ log: (entry) => log.push(entry) })
    const made = await ask(serving, 'POST', '/rooms', { name: 'R', type: 'open' })
    const { room } = (await made.json()) as { room: { id: string } }
    const url = `${serving.baseUrl.replace('http', 'ws')}/rooms/${room.id}/connect`
    const socket = new WebSocket(url, { headers: { 'x-request-id': 'mine' } })
    onTestFinished(() => socket.terminate())
    const [response] = await once(socket, 'upgrade')
    expect(response.headers['x-request-id']).toBe('mine')
    const refused = new WebSocket(`${url}?access_token=no`, { headers: { 'x-request-id': 'other' } })
    const [, refusal] = await once(refused, 'unexpected-response')
    expect(refusal.headers['x-request-id']).toBe('other')
    expect(log).toMatchObject([
      { event: 'request', request_id: made.headers.get('x-request-id') },
      { event: 'connect', outcome: 'joined', request_id: 'mine' },
      { event: 'connect', request_id: 'other' },
    ])
  })

  test('the embedded service returns the X-Request-Id of a request with a foreign Host header', async () => {
    const { origin } = await serveHere()
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write('GET /v1/rooms HTTP/1.1\r\nhost: evil.example\r\nx-request-id: mine\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/\r\nx-request-id: mine\r\n/i)
    socket.destroy()
  })
})
