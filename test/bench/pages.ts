// Compares `rooms list --all` with curl for the same pages. --before adds the launcher of another version.
// Run with: npm run bench:pages [-- --rooms 20000 --latency 0,50 --rounds 9 --before
// ../other/bin/meetroom.js]
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { alternate, printRatio, ratiosOf, run, spread } from './measured.ts'
import { firstLine, launcher } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rooms: { type: 'string', default: '20000' },
    latency: { type: 'string', default: '0,50' },
    rounds: { type: 'string', default: '9' },
    before: { type: 'string' },
  },
})
const rooms = Number(flags.rooms)
const latencies = flags.latency.split(',').map(Number)
const pageSize = 100

// Prebuilt pages, so that the client is the bottleneck at a latency of 0.
const stub = `
  const rooms = ${rooms}, size = ${pageSize}
  const room = (i) => ({ id: i.toString(16).padStart(24, '0'), type: 'open', name: 'Room ' + i, layout: 'default',
    record: false, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z', terminated_at: null })
  const pages = Array.from({ length: rooms / size + 1 }, (_, page) => Buffer.from(JSON.stringify({
    rooms: Array.from({ length: page * size < rooms ? size : 0 }, (_, i) => room(page * size + i)),
    paging: { limit: size, offset: page * size, total: rooms } })))
  require('node:http').createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://stub')
    const latency = Number(pathname.split('/')[1])
    const body = pages[Math.floor(Number(searchParams.get('offset') ?? 0) / size)]
    const send = () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (latency > 0) setTimeout(send, latency)
    else send()
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`
const service = spawn(process.execPath, ['-e', stub], { stdio: ['ignore', 'pipe', 'inherit'] })
const port = await firstLine(service)

function commandsFor(latency: number): Record<string, readonly string[]> {
  const base = `http://127.0.0.1:${port}/${latency}`
  const list = ['rooms', 'list', '--all', '-o', 'ids', '--base-url', base]
  const url = `${base}/rooms?limit=${pageSize}&offset=[0-${rooms}:${pageSize}]`
  return {
    'curl, one page after another': ['curl', '-sf', '-o', '/dev/null', url],
    'curl, 8 at once': ['curl', '-sfZ', '--parallel-max', '8', '-o', '/dev/null', url],
    'rooms list --all': [process.execPath, launcher, ...list],
    ...(flags.before && { 'rooms list --all, before': [process.execPath, flags.before, ...list] }),
  }
}

const keyed = { ...process.env, MEETROOM_API_KEY: 'k'.repeat(32) }
const peer = 'curl, one page after another'
const measured = []
for (const latency of latencies) {
  const sides = Object.fromEntries(
    Object.entries(commandsFor(latency)).map(([what, command]) => [
      what,
      async () => (await run(command, keyed)).ms,
    ]),
  )
  // Fills the code cache.
  await alternate(1, sides)
  const times = await alternate(Number(flags.rounds), sides)
  for (const [what, ms] of Object.entries(times))
    printRatio(`${latency} ms latency: ${what}`, peer, ratiosOf(ms, times[peer] ?? []), `${spread(ms, 0)} ms`)
  measured.push({ latency, times })
}
service.kill()
console.log(JSON.stringify({ node: process.version, rooms, rounds: Number(flags.rounds), measured }))
