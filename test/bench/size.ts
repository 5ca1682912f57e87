// Compares the times of requests to a small and a large workspace, and measures other requests during a large
// request.
// Run with: npm run bench:size [-- ROWS [PAIRS]]
import { once } from 'node:events'
import { request } from 'node:http'
import autocannon from 'autocannon'
import { fill, numbers, roomId, type Store } from './filled.ts'
import { alternate, median, printRatio, printValue, ratiosOf, spread } from './measured.ts'
import { type Served, send, startService } from './served.ts'

const many = Number(process.argv[2] ?? 100_000)
const pairs = Number(process.argv[3] ?? 9)
/** Number of runs of each large request, and of large rooms. */
const largeRuns = Math.min(pairs, 3)
const maxDirectEnds = 1000
/** Maximum number of members, and of sessions, of each large room. */
const crowd = many / 10

const insertCrowd = [
  `INSERT INTO members (id, room_id, user_id, type, created_at, updated_at)
   SELECT ?3 || 'm' || i, ?3, 'user-' || i, 'guest', 0, 0 FROM n`,
  `INSERT INTO sessions (id, room_id, member_id, user_id, connected_at, disconnected_at)
   SELECT ?3 || 's' || i, ?3, ?3 || 'm' || i, 'user-' || i, 0, 1 FROM n`,
]

const addCrowds = async (store: Store, count: number): Promise<void> => {
  for (let i = 0; i < largeRuns; i++)
    await store.write(() => {
      for (const insert of insertCrowd)
        store.run(`${numbers} ${insert}`, 1, Math.min(crowd, count), roomId(count - i))
    })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const paths: [what: string, path: (count: number, i: number) => string][] = [
  ['GET /rooms/{id}', (_, i) => `/rooms/${roomId(i + 1)}`],
  ['list 30 rooms', () => '/rooms?limit=30'],
  ['list 30 users', () => '/users?limit=30'],
  ['layout', () => '/rooms?layout=grid'],
  ['is_terminated', () => '/rooms?is_terminated=true'],
  ['layout + is_terminated', () => '/rooms?layout=grid&is_terminated=false'],
  ['layout + is_terminated, none', () => '/rooms?layout=none&is_terminated=true'],
  ['name', () => '/rooms?name=Room%205'],
  ['name + layout', () => '/rooms?name=Room%205&layout=default'],
  ['offset 0.9 n', (count, i) => `/rooms?offset=${Math.floor(count * 0.9) + i}`],
  [
    'filtered, offset half',
    (count, i) => `/rooms?is_terminated=false&offset=${Math.floor(count * 0.37) + i}`,
  ],
  ['email search, one hit', (_, i) => `/users?email_search_query=user${900 + i}@`],
  ['email search, none', (_, i) => `/users?email_search_query=nobody${i}`],
  ['email search, all', () => '/users?email_search_query=example.com'],
  ['email search, two letters', () => '/users?email_search_query=om'],
]

async function perSecond(served: Served): Promise<number> {
  const headers = { authorization: `Bearer ${served.apiKey}` }
  const url = `${served.baseUrl}/rooms?limit=30`
  const { requests: rate } = await autocannon({ url, connections: 50, duration: 3, headers })
  return rate.average
}

/**
 * Sends a request and discards the response, because parsing a large response would delay concurrent
 * requests.
 */
async function drain({ baseUrl, apiKey }: Served, method: string, path: string): Promise<void> {
  const sent = request(baseUrl + path, { method, headers: { authorization: `Bearer ${apiKey}` } }).end()
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
}

/** Measures `work` and the slowest GET during or soon after `work`, in milliseconds. */
async function worstBeside(
  served: Served,
  work: () => Promise<unknown>,
): Promise<{ worst: number; took: number }> {
  let done = false
  // Work that continues after the response also counts.
  const running = timed(work).finally(() => setTimeout(() => (done = true), 2000))
  let worst = 0
  while (!done) worst = Math.max(worst, await timed(() => send(served, 'GET', '/users/user-1')))
  return { worst, took: await running }
}

const small = await startService(await fill(maxDirectEnds, addCrowds))
const big = await startService(await fill(many, addCrowds))
const peer = `${maxDirectEnds.toLocaleString('en')} rows`
const title = `${many.toLocaleString('en')} rows`
/** Number of requests per side and pair. The paths suit at most 100 requests per side. */
const each = 8
for (const [what, path] of paths) {
  const time = (served: Served, count: number) => {
    let sent = 0
    return async () => {
      const times: number[] = []
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
        ['email search, all', 'GET', () => '/users?email_search_query=example'],
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
