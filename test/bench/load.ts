// Requests per second of the served workspace, beside a bare node:http server that answers the same bytes, and the
// memory of 2,000 idle sessions. Run with: npm run bench:load
import { spawn } from 'node:child_process'
import autocannon from 'autocannon'
import { WebSocket } from 'ws'
import { firstLine, type Served, send, startService } from './served.ts'

const connections = 50
const seconds = 8
const sockets = 2000

interface Row {
  what: string
  perSecond: number
  p99Ms: number
  errors: number
}

async function cannon(what: string, options: autocannon.Options): Promise<Row> {
  await autocannon({ connections, duration: 2, ...options })
  const result = await autocannon({ connections, duration: seconds, ...options })
  const errors = result.errors + result.timeouts + result.non2xx
  return { what, perSecond: Math.round(result.requests.average), p99Ms: result.latency.p99, errors }
}

async function bareServer(body: string): Promise<{ url: string; stop(): void }> {
  const program = `
    const body = ${JSON.stringify(body)}
    const server = require('node:http').createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    }).listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { url: `http://127.0.0.1:${await firstLine(child)}`, stop: () => child.kill() }
}

async function idleSockets(served: Served): Promise<{ open: number; memory: number }> {
  const { room } = await send(served, 'POST', '/rooms', { name: 'Crowd', type: 'open' })
  const url = `${served.baseUrl.replace('http', 'ws')}/rooms/${room.id}/connect`
  const open: WebSocket[] = []
  for (let i = 0; i < sockets; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => {
        const socket = new WebSocket(url, { perMessageDeflate: false })
        open.push(socket)
        return new Promise((done, failed) => socket.once('message', done).once('error', failed))
      }),
    )
  const memory = served.memory().now
  const alive = open.filter((socket) => socket.readyState === WebSocket.OPEN).length
  for (const socket of open) socket.terminate()
  return { open: alive, memory }
}

const quiet = await startService()
const crowd = await idleSockets(quiet)
await quiet.stop()

const served = await startService()
const headers = { authorization: `Bearer ${served.apiKey}`, 'content-type': 'application/json' }
const { room } = await send(served, 'POST', '/rooms', { name: 'First', type: 'open' })
for (let i = 0; i < 29; i++) await send(served, 'POST', '/rooms', { name: `Room ${i}`, type: 'open' })
const one = JSON.stringify({ room })
const bare = await bareServer(one)
const thirty = await bareServer(JSON.stringify(await send(served, 'GET', '/rooms')))
const body = JSON.stringify({ name: 'Load', type: 'open' })
/** A page that was never asked for is made anew, as after a write. */
let asked = 0
const neverKept = [
  { setupRequest: (request: autocannon.Request) => ({ ...request, path: `/v1/rooms?i=${asked++}` }) },
]
/** The states of a room in turn, so that each request changes what lists and their totals say of it. */
let put = 0
const toAndFro = [
  {
    setupRequest: (request: autocannon.Request) => ({
      ...request,
      body: JSON.stringify({ is_terminated: put++ % 2 === 0 }),
    }),
  },
]
const roomUrl = `${served.baseUrl}/rooms/${room.id}`
const rows = [
  await cannon('GET, bare node:http', { url: bare.url, headers }),
  await cannon('GET /rooms/{id}', { url: roomUrl, headers }),
  await cannon('GET, bare node:http, 30', { url: thirty.url, headers }),
  await cannon('GET /rooms (30)', { url: `${served.baseUrl}/rooms`, headers }),
  await cannon('GET /rooms (30), new', { url: served.baseUrl, headers, requests: neverKept }),
  await cannon('POST, bare node:http', { url: bare.url, method: 'POST', headers, body }),
  await cannon('POST /rooms, durable', { url: `${served.baseUrl}/rooms`, method: 'POST', headers, body }),
  await cannon('PUT, terminate and back', { url: roomUrl, method: 'PUT', headers, requests: toAndFro }),
]
const memory = served.memory()
bare.stop()
thirty.stop()
await served.stop()

for (const { what, perSecond, p99Ms, errors } of rows)
  console.log(`${what.padEnd(24)} ${String(perSecond).padStart(7)}/s   p99 ${p99Ms} ms   ${errors} errors`)
console.log(
  `${crowd.open} idle sessions: ${crowd.memory} MB; after the load: ${memory.now} MB, peak ${memory.peak} MB`,
)
console.log(JSON.stringify({ rows, crowd, memory }))
