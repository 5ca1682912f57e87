import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sendRaw } from '../helpers/raw.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { counted, sized } from './size.ts'

const { add: count } = counted('websec')

async function served() {
  const { origin, apiKey, baseUrl } = await serveHere()
  const key = `Authorization: Bearer ${apiKey}`
  const users = async (): Promise<string[]> => {
    const response = await fetch(`${baseUrl}/users`, { headers: { authorization: key.slice(15) } })
    const { users } = (await response.json()) as { users: { user_id: string }[] }
    return users.map(({ user_id }) => user_id).toSorted()
  }
  const send = (line: string, lines: readonly string[], behind = '') =>
    sendRaw(origin, `${[line, 'Host: localhost', key, ...lines].join('\r\n')}\r\n\r\n${behind}`)
  return { key, send, users }
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)

const h2c = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
]
const type = 'Content-Type: application/json'
const body = '{"user_id":"ada"}'
const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const few = Array.from({ length: 200 }, (_, i) => `h${i % 10}:`)
const many = Array.from({ length: 2100 }, (_, i) => `h${i % 10}:`)

describe('a request that offers HTTP/2', () => {
  test.each([
    ['with a length', ['Content-Length: 17'], body],
    ['in chunks', ['Transfer-Encoding: chunked'], chunks],
    ['after 200 headers', [...few, 'Content-Length: 17'], body],
  ])(
    'a request that offers HTTP/2 gets an HTTP/1.1 response if its body is sent %s',
    async (_, framing, sent) => {
      count('vectors')
      const { send, users } = await served()
      const text = await send('POST /v1/users HTTP/1.1', [...h2c, type, ...framing], sent)
      expect(statuses(text)).toEqual(['200'])
      expect(text).toMatch(/^connection: close$/im)
      expect(await users()).toEqual(['ada'])
    },
  )

  test('a request with 2,100 headers that offers HTTP/2 is refused', async () => {
    count('vectors')
    const { send, users } = await served()
    const text = await send('POST /v1/users HTTP/1.1', [...h2c, type, ...many, 'Content-Length: 17'], body)
    // Some versions of Node refuse the request themselves.
    expect(['400', '431']).toContain(statuses(text).join())
    expect(await users()).toEqual([])
  })

  test.each(['HTTP/1.1', 'HTTP/1.0'])(
    'a GET request that offers HTTP/2 over %s gets the status 200',
    async (version) => {
      count('vectors')
      const { send } = await served()
      const text = await send(`GET /v1/users ${version}`, h2c)
      expect(statuses(text)).toEqual(['200'])
      expect(text).toContain('"users":[]')
    },
  )

  test('a chunked HTTP/1.0 request that offers HTTP/2 is refused', async () => {
    count('vectors')
    const { send, users } = await served()
    const lines = [...h2c, type, 'Transfer-Encoding: chunked']
    expect(statuses(await send('POST /v1/users HTTP/1.0', lines, chunks))).toEqual(['400'])
    expect(await users()).toEqual([])
  })

  test('a request with a foreign Host header after 200 other headers is refused', async () => {
    count('vectors')
    const { send } = await served()
    expect(statuses(await send('GET /v1/users HTTP/1.1', [...h2c, ...few, 'Host: evil.test']))).toEqual([
      '400',
    ])
    expect(statuses(await send('GET /v1/users HTTP/1.1', [...few, 'Host: evil.test']))).toEqual(['400'])
  })
})

test('a request that offers another protocol cannot smuggle a second request', async () => {
  const { key, send, users } = await served()
  const hidden = `POST /v1/users HTTP/1.1\r\nHost: localhost\r\n${key}\r\n${type}\r\nContent-Length: 17\r\n\r\n${body}`
  const framings = [
    [],
    [`Content-Length: ${hidden.length}`],
    ['Content-Length: 0'],
    ['Transfer-Encoding: chunked'],
    ['Transfer-Encoding : chunked'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  ]
  const request = fc.record({
    line: fc.constantFrom('GET /v1/users', 'DELETE /v1/users/none', 'POST /v1/nothing', 'HEAD /v1/users'),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0'),
    connection: fc.constantFrom('Upgrade', 'upgrade, HTTP2-Settings', 'keep-alive, Upgrade', 'keep-alive'),
    offer: fc.constantFrom('h2c', 'H2C', 'TLS/1.0', 'h2c, websocket', 'websocket2', ''),
    framing: fc.constantFrom(...framings),
    padding: fc.constantFrom(0, 30, 1990, 2100),
    chunked: fc.boolean(),
    isFirst: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ line, version, connection, offer, framing, padding, chunked, isFirst }) => {
        count('offers')
        const offered = [`Connection: ${connection}`, `Upgrade: ${offer}`]
        const padded = Array.from({ length: padding }, () => 'x:')
        const lines = isFirst ? [...framing, ...padded, ...offered] : [...offered, ...padded, ...framing]
        const behind = chunked ? `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n` : hidden
        expect(statuses(await send(`${line} ${version}`, lines, behind)).length).toBeLessThanOrEqual(1)
        expect(await users()).toEqual([])
      },
    ),
    { numRuns: sized(30, 1000) },
  )
})
