import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '../../helpers/listen.ts'
import { runHere } from '../../helpers/run-here.ts'
import { tempDir } from '../../helpers/world.ts'

const crlf = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('')
const plain = (body: string) =>
  `${crlf('HTTP/1.1 200 OK', 'Content-Type: application/json', `Content-Length: ${body.length}`, '')}${body}`
const chunked = (body: string) =>
  `${crlf('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', body.length.toString(16), body, '0')}\r\n`
const early = (body: string) => crlf('HTTP/1.1 103 Early Hints', 'link: x', '') + plain(body)

/** Framings of the same response, as packets. */
const ways: readonly ((body: string) => readonly string[])[] = [
  (body) => [plain(body)],
  (body) => [plain(body).slice(0, 30), plain(body).slice(30)],
  (body) => [plain(body)],
  (body) => [chunked(body)],
  (body) => [plain(body)],
  (body) => [plain(body).slice(0, -1), plain(body).slice(-1)],
  (body) => [early(body)],
  (body) => [`${crlf('HTTP/1.1 100 Continue', '')}${plain(body)}`],
  (body) => [plain(body)],
]

/** Simulates a service that lists one room per page, with the framings in order from `first`. */
async function startService(first: number) {
  const page = (offset: number) =>
    JSON.stringify({
      rooms: offset < ways.length ? [{ id: `room-${offset}`, type: 'open', name: 'a' }] : [],
      paging: { limit: 1, offset, total: ways.length },
    })
  async function answer(socket: Socket, offset: number) {
    const way = ways[(first + offset) % ways.length]
    for (const packet of way?.(page(offset)) ?? []) {
      socket.write(packet)
      await new Promise(setImmediate)
    }
  }
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('data', (request) => {
      void answer(socket, Number(/offset=(\d+)/.exec(String(request))?.[1] ?? 0))
    })
  })
  return `http://127.0.0.1:${await listen(server)}/v1`
}

test.each([...ways.keys()])(
  'rooms list --all reads all pages from responses with different HTTP framings (first framing: %i)',
  async (first) => {
    const baseUrl = await startService(first)
    const dir = tempDir()
    const env = { MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: 'key-0123456789', MEETROOM_CONFIG_DIR: dir }
    const argv = ['rooms', 'list', '--all', '--page-size', '1', '-o', 'ids']
    const { code, stdout, stderr } = await runHere(argv, { env })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n').sort()).toEqual(ways.map((_, i) => `room-${i}`))
    expect(code).toBe(0)
  },
)
