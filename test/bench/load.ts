// Reads of the served workspace beside a bare node:http server that sends the same bytes from a prebuilt buffer: rates, and
// CPU time of the server per request. bench:writes measures writes. Run with: npm run bench:load [-- PAIRS [REQUESTS]]
import { spawn } from 'node:child_process'
import { cannon, type Round } from './cannon.ts'
import { alternate, median, printRatio, ratiosOf, spread } from './measured.ts'
import { firstLine, send, startService } from './served.ts'

const connections = 50
const pairs = Number(process.argv[2] ?? 11)
/** Requests of each side in each pair. */
const amount = Number(process.argv[3] ?? 20_000)

async function bareServer(body: string): Promise<{ pid: number; url: string; stop(): void }> {
  const program = `
    const body = Buffer.from(${JSON.stringify(body)})
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(200, headers).end(body)
    }).listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = `http://127.0.0.1:${await firstLine(child)}`
  return { pid: child.pid ?? 0, url, stop: () => child.kill() }
}

const served = await startService()
const headers = { authorization: `Bearer ${served.apiKey}` }
const { room } = await send(served, 'POST', '/rooms', { name: 'First', type: 'open' })
for (let i = 0; i < 29; i++) await send(served, 'POST', '/rooms', { name: `Room ${i}`, type: 'open' })
const one = await bareServer(JSON.stringify({ room }))
const thirty = await bareServer(JSON.stringify(await send(served, 'GET', '/rooms')))
const comparisons = [
  { what: 'GET /rooms/{id}', bare: one, options: { url: `${served.baseUrl}/rooms/${room.id}` } },
  { what: 'GET /rooms (30)', bare: thirty, options: { url: `${served.baseUrl}/rooms` } },
]
const results = []
for (const { what, bare, options } of comparisons) {
  const sides = {
    served: () => cannon(served.pid, amount, { connections, headers, ...options }),
    bare: () => cannon(bare.pid, amount, { connections, headers, url: bare.url }),
  }
  // Lets V8 compile the code.
  await alternate(1, sides)
  const rounds = await alternate(pairs, sides)
  const of = (side: 'served' | 'bare', field: keyof Round) => rounds[side].map((round) => round[field])
  const ratios = (field: keyof Round) => ratiosOf(of('served', field), of('bare', field))
  const peer = 'bare node:http, prebuilt buffer'
  printRatio(
    `${what}, rate`,
    peer,
    ratios('perSecond'),
    `${spread(of('served', 'perSecond'), 0)}/s`,
    `p99 ${median(of('served', 'p99Ms'))} ms, bare ${median(of('bare', 'p99Ms'))} ms`,
  )
  printRatio(`${what}, CPU`, peer, ratios('cpu'), `${spread(of('served', 'cpu'), 0)} µs a request`)
  results.push({ what, rounds })
}
one.stop()
thirty.stop()
await served.stop()
console.log(JSON.stringify({ node: process.version, pairs, amount, results }))
