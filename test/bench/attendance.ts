// Measures time, requests and memory of reports, with a stub service in a separate process.
// Run with: npm run bench:attendance [-- --rooms 1000 --sessions 100 --large 100000 --rounds 3]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { alternate, type Measurement, printRatio, printValue, ratiosOf, run, spread } from './measured.ts'
import { firstLine, launcher } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rooms: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '100' },
    large: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  },
})
const [rooms, sessions, large, rounds] = [flags.rooms, flags.sessions, flags.large, flags.rounds].map(
  Number,
) as [number, number, number, number]

/** Maximum memory of a report of many rooms, in MB. */
const mostManyMb = 350
/** Maximum memory of a report of the room `large`, in MB, except with `--by session`. */
const mostMb = 150

/** Stub service. It pages the sessions of the room `large`. Other rooms send all sessions in one response. */
const stub = `
  const [rooms, sessions, large] = ${JSON.stringify([rooms, sessions, large])}
  const at = (seconds) => new Date(Date.UTC(2026, 0, 1, 8) + seconds * 1000).toISOString()
  const id = (i) => i.toString(16).padStart(24, '0')
  const sessionsOf = (count, users) => Array.from({ length: count }, (_, i) => ({
    id: id(i), member_id: id(1e6 + (i % users)), user_id: 'user-' + (i % users),
    connected_at: at((i * 37) % 3000), disconnected_at: at(((i * 37) % 3000) + 600),
  }))
  const membersOf = (users) => Array.from({ length: users }, (_, i) => ({
    id: id(1e6 + i), user_id: 'user-' + i, type: 'guest', name: 'Person number ' + i,
  }))
  const json = (value) => Buffer.from(JSON.stringify(value))
  const small = json({ sessions: sessionsOf(sessions, Math.ceil(sessions / 4)) })
  const manySessions = sessionsOf(large, Math.ceil(large / 100))
  const huge = json({ sessions: manySessions })
  const page = (key, items, url) => {
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const limit = Number(url.searchParams.get('limit') ?? 30)
    return json({ [key]: items.slice(offset, offset + limit), paging: { limit, offset, total: items.length } })
  }
  const allRooms = Array.from({ length: rooms }, (_, i) => ({ id: 'room-' + i, type: 'open', name: 'Room ' + i, terminated_at: null }))
  const withStrangers = Array.from({ length: rooms }, (_, i) => ({ id: 'strangers-' + i, type: 'open', name: 'Strangers', terminated_at: null }))
  const fewMembers = membersOf(Math.ceil(sessions / 4) + 5)
  const manyMembers = membersOf(Math.ceil(large / 100) + 5)
  let count = 0
  require('node:http').createServer((request, response) => {
    const url = new URL(request.url, 'http://stub')
    const isLarge = /\\/(large|whole)\\//.test(url.pathname)
    const send = (body) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (url.pathname === '/count') return send(json(count))
    count++
    if (url.pathname.includes('/large/sessions')) return send(page('sessions', manySessions, url))
    const [, strangers] = /\\/(strangers-\\d+)\\/sessions/.exec(url.pathname) ?? []
    if (strangers) return send(json({ sessions: sessionsOf(sessions, sessions).map((one) => ({ ...one, user_id: strangers + one.user_id })) }))
    if (url.pathname.endsWith('/sessions')) return send(url.pathname.includes('/whole/') ? huge : small)
    if (url.pathname.endsWith('/members')) return send(page('members', isLarge ? manyMembers : fewMembers, url))
    if (url.pathname.endsWith('/users')) return send(page('users', manyMembers.map((member) => ({ ...member, created_at: at(-1e6) })), url))
    if (/(large|whole)$/.test(url.pathname)) return send(json({ room: { id: 'large', type: 'open', name: 'Large' } }))
    return send(page('rooms', url.pathname.includes('/strangers/') ? withStrangers : allRooms, url))
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

const dir = mkdtempSync(join(tmpdir(), 'meetroom-attendance-'))
const service = spawn(process.execPath, ['-e', stub], { stdio: ['ignore', 'pipe', 'inherit'] })
process.once('exit', () => service.kill('SIGKILL'))
const origin = `http://127.0.0.1:${await firstLine(service)}`
const env = {
  ...process.env,
  HOME: dir,
  XDG_CACHE_HOME: join(dir, 'cache'),
  MEETROOM_CONFIG_DIR: join(dir, 'config'),
  MEETROOM_BASE_URL: `${origin}/v1`,
  MEETROOM_API_KEY: 'no-such-key-at-all',
}
const requests = async () => (await (await fetch(`${origin}/count`)).json()) as number

const many = `${rooms} rooms × ${sessions}`
// Each session has a different user, so reports by person have as many rows as sessions.
const strangers = `${many}, all users different`
const one = `one room × ${large}`
const cases: [what: string, room: string, flags: string][] = [
  [many, '--all-rooms', '-o ndjson'],
  [many, '--all-rooms', '-o ndjson --absent'],
  [many, '--all-rooms', '-o csv --columns user_id,minutes'],
  [many, '--all-rooms', '-o table'],
  [many, '--all-rooms', `-o csv --html ${join(dir, 'page.html')}`],
  [many, '--all-rooms', '-o ndjson --by user-total'],
  [many, '--all-rooms', '-o ndjson --by user-total --missed 2'],
  [many, '--all-rooms', '-o ndjson --by user-total,day'],
  [many, '--all-rooms', '-o ndjson --by meeting --absent'],
  [many, '--all-rooms', '-o ndjson --by month'],
  [many, '--all-rooms', `-o csv --by user-total --html ${join(dir, 'page.html')}`],
  [many, '--all-rooms', `-o csv --by meeting --html ${join(dir, 'page.html')}`],
  [many, 'usage', '--month 2026-01 -o ndjson'],
  [strangers, '--all-rooms', '-o ndjson'],
  [strangers, '--all-rooms', '-o ndjson --by user-total'],
  [strangers, '--all-rooms', '-o ndjson --by user-total,month'],
  [strangers, '--all-rooms', '-o ndjson --by user,month'],
  [strangers, '--all-rooms', '-o ndjson --by month'],
  [strangers, '--all-rooms', '-o ndjson --by meeting'],
  [strangers, '--all-rooms', `-o csv --by user-total --html ${join(dir, 'page.html')}`],
  [strangers, '--all-rooms', `-o csv --by user-total,month --html ${join(dir, 'page.html')}`],
  [strangers, 'usage', '--month 2026-01 -o ndjson'],
  [one, 'large', '-o ndjson'],
  [one, 'large', '-o json --by session'],
  [one, 'large', `-o csv --absent --html ${join(dir, 'page.html')}`],
  [`${one}, unpaged`, 'whole', '-o ndjson'],
]

const peer = '-o ndjson'
const tooLarge: string[] = []
const results = []
for (const group of [many, strangers, one, `${one}, unpaged`]) {
  const sides: Record<string, () => Promise<Measurement & { requests: number }>> = {}
  for (const [what, room, flags] of cases)
    if (what === group)
      sides[flags.replace(dir, '')] = async () => {
        const before = await requests()
        const words = room === 'usage' ? [room] : ['sessions', 'report', room]
        const ran = await run([process.execPath, launcher, ...words, ...flags.split(' ')], {
          ...env,
          ...(what === strangers && { MEETROOM_BASE_URL: `${origin}/strangers/v1` }),
        })
        return { ...ran, requests: (await requests()) - before }
      }
  // Fills the code cache.
  await alternate(1, sides)
  const rans = await alternate(rounds, sides)
  for (const [flags, of] of Object.entries(rans)) {
    const ms = of.map((ran) => ran.ms)
    const peaks = of.map(({ peakMb }) => peakMb)
    const ratios = ratiosOf(
      ms,
      (rans[peer] ?? []).map((ran) => ran.ms),
    )
    printRatio(`${group}: ${flags}, time`, peer, ratios, `${spread(ms, 0)} ms`)
    printValue(`${group}: ${flags}, peak memory`, peaks, 'MB', 0, `${of[0]?.requests} requests`)
    const most = group === one ? mostMb : mostManyMb
    if (
      [many, strangers, one].includes(group) &&
      !flags.includes('--by session') &&
      Math.max(...peaks) > most
    )
      tooLarge.push(`${group}: ${flags}`)
  }
  results.push({ group, rans })
}
service.kill()
rmSync(dir, { recursive: true, force: true })
console.log(JSON.stringify({ node: process.version, rounds, results }))
if (tooLarge.length > 0) throw new Error(`more than ${mostMb} or ${mostManyMb} MB: ${tooLarge.join('; ')}`)
