import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { runBuilt } from '../helpers/built.ts'
import { listen } from '../helpers/listen.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, full, share, sized } from './size.ts'

// A response may cost much memory or time, or never end.

const { add } = counted('hostile (responses)')
const maxMegabytes = 400
/**
 * Limit for commands that read all pages: V8 may not have freed one response when the next response arrives.
 */
const maxWholeMegabytes = 800
const isWhole = (argv: readonly string[]) =>
  ['--sort', '--where', '--count-by'].some((flag) => argv.includes(flag))
const MB = 2 ** 20

const fill = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length))
const list = (item: string, count: number) => `[${`${item},`.repeat(count - 1)}${item}]`
const room = (field: string) =>
  `{"rooms":[{"id":"r","type":"open","name":"n","x":${field}}],"room":{"id":"r","name":"n","type":"open","x":1}}`

/** Documents that are small when compressed. */
const documents: Record<string, () => string> = {
  '63 MB of opening brackets': () => fill('[', 63 * MB),
  '63 MB of opening braces with names': () => fill('{"a":', 63 * MB),
  'a text of 31 MB': () => room(`"${fill('x', 31 * MB)}"`),
  'a text of 31 MB of quotes': () => room(`"${fill('\\"', 31 * MB)}"`),
  'a text of 31 MB of tabs': () => room(`"${fill('\\t', 31 * MB)}"`),
  'a text of 15 MB outside Latin-1': () => room(`"\u0100${fill('x', 15 * MB)}"`),
  'a text of 62 MB': () => room(`"${fill('x', 62 * MB)}"`),
  'a text of 47 MB outside Latin-1': () => room(`"\u0100${fill('x', 47 * MB)}"`),
  'a text of 62 MB outside Latin-1': () => room(`"\u0100${fill('x', 62 * MB)}"`),
  'a text of 63 MB of two-byte characters': () => room(`"${fill('\u0416', 31 * MB)}"`),
  'a text of 60 MB of escapes': () => room(`"${fill('\\u0041', 60 * MB)}"`),
  'a text of 100 MB': () => room(`"${fill('x', 100 * MB)}"`),
  'a name of 60 MB': () => room(`{"${fill('x', 60 * MB)}":1}`),
  'two million numbers': () => room(list('1.5', 2e6)),
  '990,000 numbers': () => room(list('1.5', 9.9e5)),
  '990,000 numbers beyond 2⁵³': () => room(list('12345678901234567890', 9.9e5)),
  '990,000 texts': () => room(list(`"${'a'.repeat(57)}"`, 9.9e5)),
  '490,000 objects': () => room(list('{}', 4.9e5)),
  '490,000 lists': () => room(list('[]', 4.9e5)),
  'two million objects': () => room(list('{}', 2e6)),
  'two million names': () => room(`{${Array.from({ length: 2e6 }, (_, i) => `"k${i}":1`)}}`),
  '99,000 names in 490,000 objects': () =>
    room(`[${Array.from({ length: 4.9e5 }, (_, i) => `{"k${i % 99_000}":1}`)}]`),
  '300,000 long names': () =>
    room(`[${Array.from({ length: 3e5 }, (_, i) => `{"${'k'.repeat(180)}${i}":1}`)}]`),
  '240,000 objects of many shapes': () =>
    room(
      `[${Array.from({ length: 2.4e5 }, (_, i) => `{"a${i % 12}":1,"b${(i * 7) % 13}":2,"c${(i * 5) % 17}":3}`)}]`,
    ),
  '100,000 objects nested 190 deep': () => room(list('{"a":[[]]}', 1e5)),
  'lists nested 190 deep, often': () => room(list('['.repeat(190) + ']'.repeat(190), 2500)),
  '330,000 rooms': () => `{"rooms":[${Array.from({ length: 3.3e5 }, (_, i) => `{"id":"${i}"}`)}]}`,
  'a number of 60 MB': () => room(fill('1', 60 * MB)),
  '60 MB of white space': () => `{"rooms":[],${fill(' ', 60 * MB)}"room":{}}`,
  '60 MB of commas': () => `{"rooms":[${fill(',', 60 * MB)}]}`,
  '60 MB of quotes': () => fill('"', 60 * MB),
  '60 MB of backslashes': () => `"${fill('\\', 60 * MB)}`,
  '60 MB of HTML': () => `<html><title>${fill('<a>', 60 * MB)}`,
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void
interface Bomb {
  name: string
  respond: Respond
  /** Request timeout, in seconds; the default of `run` if undefined. */
  timeout?: number
}

/** Timeout for an endless response, in seconds. Such a response keeps both sides busy until the timeout. */
const endlessTimeout = sized(0.7, 10)

const json = { 'content-type': 'application/json' }

function compressed(
  name: string,
  make: () => string,
  encode: 'gzip' | 'br' | 'deflate' = 'gzip',
  status = 200,
): Bomb {
  let body: Buffer | undefined
  const encoders = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
  return {
    name: `${name} (${encode}, ${status})`,
    respond(response) {
      body ??= encoders[encode](Buffer.from(make()))
      response.writeHead(status, { ...json, 'content-encoding': encode }).end(body)
    },
  }
}

function layered(layers: number, make: () => string): Bomb {
  let body: Buffer | undefined
  return {
    name: `${layers} layers of gzip`,
    respond(response) {
      if (!body) {
        body = Buffer.from(make())
        for (let i = 0; i < layers; i++) body = gzipSync(body)
      }
      const encoding = Array(layers).fill('gzip').join(', ')
      response.writeHead(200, { ...json, 'content-encoding': encoding }).end(body)
    },
  }
}

function endless(
  name: string,
  chunk: string | Buffer,
  headers: Record<string, string> = json,
  status = 200,
): Bomb {
  return {
    name: `endless ${name} (${status})`,
    timeout: endlessTimeout,
    respond(response) {
      response.writeHead(status, headers)
      const send = () => {
        while (!response.destroyed && response.write(chunk)) if (response.writableLength > MB) break
      }
      response.on('drain', send).on('error', () => {})
      send()
    },
  }
}

const quick: Bomb[] = [
  endless('chunks of one byte', ' '),
  layered(2, documents['63 MB of opening brackets'] as () => string),
  compressed('990,000 texts', documents['990,000 texts'] as () => string),
]
const all = (): Bomb[] => [
  ...quick,
  layered(3, () => '{}'),
  ...Object.entries(documents).map(([name, make]) => compressed(name, make)),
  compressed('a text of 62 MB', documents['a text of 62 MB'] as () => string, 'br'),
  compressed('a text of 62 MB', documents['a text of 62 MB'] as () => string, 'deflate'),
  ...[400, 404, 429, 500, 503].map((status) =>
    compressed('a text of 62 MB', documents['a text of 62 MB'] as () => string, 'gzip', status),
  ),
  layered(200, () => '{}'),
  endless('zeros', Buffer.alloc(64 * 1024)),
  endless('brackets', fill('[', 64 * 1024)),
  endless('error', 'x', json, 500),
  endless('refusal', ' ', json, 403),
  endless('gzip of zeros', gzipSync(Buffer.alloc(MB)), { ...json, 'content-encoding': 'gzip' }),
  ...Array.from({ length: full ? 20 : 0 }, (_, i) => randomBomb(i)),
]

function randomBomb(seed: number): Bomb {
  let state = seed + 1
  const random = (below: number) => {
    state = (state * 16807) % 2147483647
    return state % below
  }
  const kinds = [
    () => `"${'a'.repeat(random(200))}"`,
    () => `"${'\u0416'.repeat(random(100))}"`,
    () => String(random(1e9)),
    () => `${random(1e9)}${random(1e9)}${random(1e9)}`,
    () => `{"k${random(10 ** (1 + random(6)))}":[${random(9)}]}`,
    () => '['.repeat(random(100)).replace(/.*/, (open) => open + ']'.repeat(open.length)),
    () => `"${'\\n\\"'.repeat(random(50))}"`,
  ]
  return compressed(`random document ${seed}`, () => {
    const chosen = kinds.filter(() => random(2) === 0)
    const make = () => (chosen[random(chosen.length)] ?? kinds[0])?.()
    return room(`[${Array.from({ length: 50_000 + random(900_000) }, make)}]`)
  })
}

/**
 * Runs the built program. `peak` is its peak memory, in megabytes.
 * @param timeout request timeout, in seconds; a write may take twice as long, because a read then checks its
 * outcome
 */
async function run(argv: readonly string[], baseUrl: string, timeout = full ? 10 : 4) {
  const dir = tempDir()
  const script = join(dir, 'peak.cjs')
  writeFileSync(
    script,
    `const { readFileSync, writeSync } = require('node:fs')
    process.on('exit', () => {
      const kilobytes = process.platform === 'linux'
        ? Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
        : process.resourceUsage().maxRSS
      writeSync(2, 'PEAK ' + Math.round(kilobytes / 1024) + '\\n')
    })`,
  )
  const env = {
    HOME: dir,
    MEETROOM_API_KEY: 'a-key-that-is-long-enough',
    MEETROOM_BASE_URL: baseUrl,
    NODE_OPTIONS: `--require ${script}`,
  }
  const { code, stderr } = await runBuilt([...argv, '--timeout', String(timeout), '--retries', '0'], env)
  add('commands')
  const peak = Number(/PEAK (\d+)/.exec(stderr)?.[1])
  return { code, stderr, peak }
}

async function serve(
  respond: Respond,
  upgrade?: (socket: Socket, request: IncomingMessage) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => respond(response, request))
  })
  if (upgrade)
    server.on('upgrade', (request, socket: Socket) => {
      // Ends the connection after the client has acknowledged the close frame.
      socket
        .on('error', () => {})
        .on('data', (data: Buffer) => {
          if (data.at(-8) === 0x88 && data.at(-7) === 0x82) socket.end()
        })
      upgrade(socket, request)
    })
  return `http://127.0.0.1:${await listen(server)}/v1`
}

const reads = [
  ['rooms', 'list', '-o', 'ids'],
  ['rooms', 'list', '--sort', 'name', '-o', 'csv'],
  ...(full
    ? [
        ['rooms', 'list'],
        ['rooms', 'list', '--sort', 'name', '-o', 'tsv'],
        ['rooms', 'list', '--where', 'name!=y', '-o', 'ndjson'],
        ['rooms', 'list', '--count-by', 'type', '--json'],
        ['api', 'GET', '/rooms'],
        ['rooms', 'list', '--json', '--query', 'rooms[0].id'],
      ]
    : []),
]
const writes = [
  ['rooms', 'create', '--name', 'n', '--type', 'open', '--json'],
  ...(full
    ? [
        ['rooms', 'update', 'r', '--name', 'n'],
        ['message', 'send', 'r', 'hi'],
      ]
    : []),
]

const bombs = (full ? all() : quick).map((bomb, index) => ({ ...bomb, index }))

describe.each(bombs)('a hostile response: $name', ({ respond, timeout, index }) => {
  test('a command with a hostile response exits with an expected code within its memory limit', {
    timeout: 600_000,
  }, async () => {
    const baseUrl = await serve(respond)
    const commands = [...reads, ...writes]
    for (const argv of share(commands, index, commands.length)) {
      const isWrite = writes.includes(argv)
      const { code, stderr, peak } = await run(argv, baseUrl, timeout)
      // A status such as 404 refuses a write even if the body is too large.
      expect(isWrite ? [0, 1, 3, 4, 6, 7] : [0, 1, 4, 5, 6], `${argv.join(' ')}: ${stderr}`).toContain(code)
      expect(peak, argv.join(' ')).toBeLessThan(isWhole(argv) ? maxWholeMegabytes : maxMegabytes)
    }
  })
})

test('rooms create exits 7 if the response is larger than 64 MB', { timeout: 120_000 }, async () => {
  const { respond } = compressed('', documents['a text of 100 MB'] as () => string)
  const { code, stderr } = await run(
    ['rooms', 'create', '--name', 'n', '--type', 'open'],
    await serve(respond),
    10,
  )
  expect(stderr).toContain('does not show whether the change was made: it is larger than 64 MB')
  expect(code).toBe(7)
})

test('rooms list exits 6 if the response has three content encodings', async () => {
  const { code, stderr } = await run(['rooms', 'list'], await serve(layered(3, () => '{}').respond))
  expect(stderr).toContain('cannot be read: it has 3 content encodings')
  expect(code).toBe(6)
})

function accept(socket: Socket, request: IncomingMessage): void {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}\r\n\r\n`,
  )
}

function frame(payload: string | Buffer, opcode = 0x81): Buffer {
  const data = Buffer.from(payload as string)
  if (data.length < 126) return Buffer.concat([Buffer.from([opcode, data.length]), data])
  const head = Buffer.alloc(10)
  head[0] = opcode
  head[1] = 127
  head.writeBigUInt64BE(BigInt(data.length), 2)
  return Buffer.concat([head, data])
}

/** Writes at least `bytes` bytes in copies of a chunk, as fast as the peer reads. Then calls `end`. */
function writeUntil(socket: Socket, chunk: Buffer, bytes: number, end: () => void): void {
  let written = 0
  const write = () => {
    while (written < bytes && !socket.destroyed) {
      written += chunk.length
      if (!socket.write(chunk)) return
    }
    socket.off('drain', write)
    end()
  }
  socket.on('drain', write)
  write()
}

const closeFrame = Buffer.from([0x88, 0x02, 0x0f, 0xa2])

describe('join', () => {
  test.each<[string, (socket: Socket) => void, number]>([
    ['a frame of 100 MB', (socket) => socket.write(frame(Buffer.alloc(100 * MB, 'x'))), 6],
    ['a frame of 900 KB of brackets', (socket) => socket.write(frame(fill('[', 900 * 1024))), 6],
    [
      'endless fragments',
      (socket) => {
        socket.write(frame('', 0x01))
        writeUntil(socket, frame(Buffer.alloc(64 * 1024), 0x00), 2000 * MB, () => {})
      },
      6,
    ],
    ['1,000 pings', (socket) => writeUntil(socket, frame('', 0x89), 2000, () => socket.write(closeFrame)), 0],
    [
      full ? '50,000 frames' : '5,000 frames',
      (socket) =>
        writeUntil(socket, frame('{"event":"message","message":"hello"}'), sized(2e5, 2e6), () =>
          socket.write(closeFrame),
        ),
      0,
    ],
  ])('join uses less than 400 MB of memory for %s', { timeout: 300_000 }, async (_name, send, expected) => {
    const baseUrl = await serve(
      () => {},
      (socket, request) => {
        accept(socket, request)
        socket.write(frame('{"event":"joined","session_id":"s"}'))
        send(socket)
      },
    )
    const { code, stderr, peak } = await run(['join', 'r'], baseUrl)
    expect(code, stderr).toBe(expected)
    expect(peak).toBeLessThan(maxMegabytes)
  })

  test.each<[string, string]>([
    ['one byte', ' '],
    ['64 KB', fill('x', 64 * 1024)],
  ])(
    'join exits 1 after a 403 response with an endless body in chunks of %s',
    { timeout: 60_000 },
    async (_name, chunk) => {
      const baseUrl = await serve(
        () => {},
        (socket) => {
          socket.write('HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n')
          writeUntil(socket, Buffer.from(`${chunk.length.toString(16)}\r\n${chunk}\r\n`), 500 * MB, () => {})
        },
      )
      const { code, stderr, peak } = await run(['join', 'r'], baseUrl, endlessTimeout)
      expect(stderr).toContain('the service responded with 403')
      expect(code).toBe(1)
      expect(peak).toBeLessThan(maxMegabytes)
    },
  )
})
