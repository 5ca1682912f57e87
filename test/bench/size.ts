// Cost of size: the same requests to a workspace of 1,000 users and rooms and to a large one, and how long others wait
// while a large request runs. Run with: npm run bench:size [-- ROWS [PAIRS]]; the documented figures are of 1000000 rows,
// which take several minutes.
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { blockRows, countBlocks } from '../../src/embedded/store/counts.ts'
import { hasUnindexed, indexEmails } from '../../src/embedded/store/emails.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { alternate, median, printRatio, printValue, ratiosOf, spread } from './measured.ts'
import { type Served, send, startService } from './served.ts'

const many = Number(process.argv[2] ?? 100_000)
const pairs = Number(process.argv[3] ?? 9)
/** Runs of each large request; each deletes a room. */
const largeRuns = Math.min(pairs, 3)
const maxDirectEnds = 1000
/** Members and sessions of each large room. */
const crowd = many / 10

const numbers = 'WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
const insertUsers = `${numbers}
  INSERT INTO users (id, user_id, name, default_member_type, email, access_token, created_at, updated_at)
  SELECT printf('%024x', i), 'user-' || i, 'User ' || i, 'guest', 'user' || i || '@example.com', 't' || i, i, i FROM n`
const insertRooms = `${numbers}
  INSERT INTO rooms (id, type, name, layout, record, terminated_at, created_at, updated_at)
  SELECT printf('%024x', i), 'open', 'Room ' || (i % 200), CASE i % 10 WHEN 0 THEN 'grid' ELSE 'default' END, 0,
    CASE WHEN i % 4 = 1 THEN i END, i, i FROM n`
const insertCrowd = [
  `INSERT INTO members (id, room_id, user_id, type, created_at, updated_at)
   SELECT ?3 || 'm' || i, ?3, 'user-' || i, 'guest', 0, 0 FROM n`,
  `INSERT INTO sessions (id, room_id, member_id, user_id, connected_at, disconnected_at)
   SELECT ?3 || 's' || i, ?3, ?3 || 'm' || i, 'user-' || i, 0, 1 FROM n`,
]

const roomId = (i: number) => i.toString(16).padStart(24, '0')

/** A workspace with so many users and rooms, indexed. */
async function fill(count: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-bench-'))
  const host = { now: () => Date.now(), quietly: <T>(load: () => Promise<T>) => load() }
  const { store, close } = await openWorkspace({ dir, host })
  for (let i = 1; i <= count; i += 10_000)
    await store.write(() => {
      for (const insert of [insertUsers, insertRooms]) store.run(insert, i, Math.min(i + 9999, count))
    })
  await store.write(() => {
    for (const table of ['users', 'rooms'] as const) countBlocks(store, table, count - (count % blockRows))
  })
  while (hasUnindexed(store)) await store.write(() => indexEmails(store, 256))
  for (let i = 0; i < largeRuns; i++)
    await store.write(() => {
      for (const insert of insertCrowd)
        store.run(`${numbers} ${insert}`, 1, Math.min(crowd, count), roomId(count - i))
    })
  close()
  return dir
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Paths that differ each time are never kept. */
const paths: [what: string, path: (count: number, i: number) => string][] = [
  ['GET /rooms/{id}', (_, i) => `/rooms/${roomId(i + 1)}`],
  ['list 30 rooms', (_, i) => `/rooms?limit=30&i=${i}`],
  ['list 30 users', (_, i) => `/users?limit=30&i=${i}`],
  ['layout', (_, i) => `/rooms?layout=grid&i=${i}`],
  ['is_terminated', (_, i) => `/rooms?is_terminated=true&i=${i}`],
  ['layout + is_terminated', (_, i) => `/rooms?layout=grid&is_terminated=false&i=${i}`],
  ['layout + is_terminated, none', (_, i) => `/rooms?layout=none&is_terminated=true&i=${i}`],
  ['name', (_, i) => `/rooms?name=Room%205&i=${i}`],
  ['name + layout', (_, i) => `/rooms?name=Room%205&layout=default&i=${i}`],
  ['offset 0.9 n', (count, i) => `/rooms?offset=${Math.floor(count * 0.9) + i}`],
  [
    'filtered, offset half',
    (count, i) => `/rooms?is_terminated=false&offset=${Math.floor(count * 0.37) + i}`,
  ],
  ['e-mail search, one hit', (_, i) => `/users?email_search_query=user${900 + i}@`],
  ['e-mail search, none', (_, i) => `/users?email_search_query=nobody${i}`],
  ['e-mail search, all', (_, i) => `/users?email_search_query=example.com&i=${i}`],
  ['e-mail search, two letters', (_, i) => `/users?email_search_query=om&i=${i}`],
]

async function perSecond(served: Served): Promise<number> {
  const headers = { authorization: `Bearer ${served.apiKey}` }
  // Every request follows a write, in effect: pages that differ are not kept.
  let i = 0
  const requests = [
    { setupRequest: (r: autocannon.Request) => ({ ...r, path: `/v1/rooms?limit=30&i=${i++}` }) },
  ]
  const { requests: rate } = await autocannon({
    url: served.baseUrl,
    connections: 50,
    duration: 3,
    headers,
    requests,
  })
  return rate.average
}

/** Sends a request and throws its answer away: to parse a large one would hold up the others from this side. */
async function drain({ baseUrl, apiKey }: Served, method: string, path: string): Promise<void> {
  const sent = request(baseUrl + path, { method, headers: { authorization: `Bearer ${apiKey}` } }).end()
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
}

/** The longest that a GET by id waits while a request runs, in milliseconds. */
async function worstBeside(
  served: Served,
  work: () => Promise<unknown>,
): Promise<{ worst: number; took: number }> {
  let done = false
  // What goes on after the answer counts as well.
  const running = timed(work).finally(() => setTimeout(() => (done = true), 2000))
  let worst = 0
  while (!done) worst = Math.max(worst, await timed(() => send(served, 'GET', '/users/user-1')))
  return { worst, took: await running }
}

const small = await startService(await fill(maxDirectEnds))
const big = await startService(await fill(many))
const peer = `${maxDirectEnds.toLocaleString('en')} rows`
const title = `${many.toLocaleString('en')} rows`
/** Requests of each side in each pair; their median counts. Offsets and hits exist for 100 requests. */
const each = 8
for (const [what, path] of paths) {
  const time = (served: Served, count: number) => {
    let sent = 0
    return async () => {
      const times: number[] = []
      // Each path differs from those before it, which the service may have kept.
      for (let i = 0; i < each; i++) times.push(await timed(() => send(served, 'GET', path(count, sent++))))
      return median(times)
    }
  }
  const sides = { small: time(small, maxDirectEnds), big: time(big, many) }
  await alternate(1, sides)
  const ms = await alternate(pairs, sides)
  printRatio(`${title}: ${what}, time`, peer, ratiosOf(ms.big, ms.small), `${spread(ms.big)} ms`)
}
const rates = await alternate(Math.min(pairs, 5), {
  small: () => perSecond(small),
  big: () => perSecond(big),
})
printRatio(
  `${title}: 50 connections, list 30, rate`,
  peer,
  ratiosOf(rates.big, rates.small),
  `${spread(rates.big, 0)}/s`,
)

let room = many
const waits = await alternate(
  largeRuns,
  Object.fromEntries(
    (
      [
        ['nothing else', 'GET', () => '/users/user-2'],
        [`list of ${crowd.toLocaleString('en')} sessions`, 'GET', () => `/rooms/${roomId(room)}/sessions`],
        ['e-mail search, all', 'GET', () => '/users?email_search_query=example'],
        ['page of 1,000 rooms', 'GET', () => '/rooms?limit=1000'],
        ['delete of a room with them', 'DELETE', () => `/rooms/${roomId(room--)}`],
      ] as const
    ).map(([what, method, path]) => [what, () => worstBeside(big, () => drain(big, method, path()))]),
  ),
)
for (const [what, of] of Object.entries(waits)) {
  const worst = of.map((wait) => wait.worst)
  const took = of.map((wait) => wait.took)
  printValue(`${title}: longest GET beside ${what}`, worst, 'ms', 1, `which takes ${spread(took, 0)} ms`)
}
await small.stop()
await big.stop()
