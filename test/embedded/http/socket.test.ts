import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WireRequest, WireResponse } from '../../../src/api/wire.ts'
import { serveHttp } from '../../../src/embedded/http/server.ts'
import type { Service } from '../../../src/embedded/service/service.ts'
import { decodeBody, openTestWorkspace, replayFixtures, wireRequest } from '../../helpers/wire.ts'

async function serve(service: Service) {
  const server = await serveHttp(service, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  return server
}

function sendOverHttp({ method, url, headers, body }: WireRequest): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers as Record<string, string>,
        body: Buffer.concat(chunks),
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function sendOverSocket(origin: string, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    for (const part of parts) socket.write(part)
  })
}

describe('the embedded service over a socket', () => {
  replayFixtures(async ({ service }) => {
    const { url } = await serve(service)
    return { baseUrl: `${url}/v1`, exchange: sendOverHttp }
  })
})

test('the embedded service sends a status line, a JSON content type and a content length', async () => {
  const { service, apiKey } = await openTestWorkspace()
  const { url } = await serve(service)
  const text = await sendOverSocket(
    url,
    `GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAUTHORIZATION: Bearer ${apiKey}\r\n\r\n`,
  )
  const body = '{"rooms":[],"paging":{"limit":30,"offset":0,"total":0}}\n'
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(text).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
  expect(text).toMatch(new RegExp(`\\r\\ncontent-length: ${body.length}\\r\\n`, 'i'))
  expect(text.split('\r\n\r\n')[1]).toBe(body)
})

test('the embedded service joins a request body that is split within a character', async () => {
  const { service, apiKey } = await openTestWorkspace()
  const { url } = await serve(service)
  const body = Buffer.from('{"user_id":"ä"}')
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const sent = httpRequest(
      `${url}/v1/users`,
      {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    sent.on('error', reject)
    sent.write(body.subarray(0, 13), () => sent.end(body.subarray(13)))
  })
  expect(answer).toBe(200)
  const got = await sendOverHttp(wireRequest(`${url}/v1`, apiKey, { method: 'GET', path: '/users/%C3%A4' }))
  expect(decodeBody(got).user.user_id).toBe('ä')
})

describe('a request target outside the paths of the service', () => {
  for (const target of ['//[', '//elsewhere/v1/rooms', '/', '/v1', '/v1/../v1/nothing', '*'])
    test(`the embedded service responds with 400 to the request target “${target}”`, async () => {
      const { service, apiKey } = await openTestWorkspace()
      const { url } = await serve(service)
      const text = await sendOverSocket(
        url,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
      )
      expect(text.split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request')
    })
})

test('the embedded service responds with 400 to a body that is not UTF-8', async () => {
  const { service, apiKey } = await openTestWorkspace()
  const { url } = await serve(service)
  const text = await sendOverSocket(
    url,
    `POST /v1/users HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n`,
    Buffer.from('{"user_id":"\xff"}', 'latin1'),
  )
  expect(text.split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request')
})

describe('closed servers', () => {
  async function serveBehindGate() {
    const { service, apiKey } = await openTestWorkspace()
    let arrive = () => {}
    let proceed = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const gate = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const server = await serve(async (request) => {
      arrive()
      await gate
      return service(request)
    })
    return { ...server, apiKey, arrived, proceed }
  }

  test('closing the server completes the pending response and refuses new connections', async () => {
    const { url, close, apiKey, arrived, proceed } = await serveBehindGate()
    const request = wireRequest(`${url}/v1`, apiKey, { method: 'GET', path: '/rooms' })
    const answer = sendOverHttp(request)
    await arrived
    const closed = close()
    await expect(sendOverHttp(request)).rejects.toThrow('ECONNREFUSED')
    proceed()
    expect((await answer).status).toBe(200)
    await closed
  })

  test('closing the server does not wait for a client that keeps its connection alive', {
    timeout: 3000,
  }, async () => {
    const { url, close, apiKey, arrived, proceed } = await serveBehindGate()
    const text = sendOverSocket(
      url,
      `GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
    )
    await arrived
    const closed = close()
    proceed()
    expect(await text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    await closed
  })
})
