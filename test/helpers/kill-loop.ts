import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { launcher, node } from './built.ts'
import { deleted, Oracle } from './oracle.ts'
import { soon } from './waiting.ts'

export interface KillLoop {
  /** The program: the built one unless a test says otherwise. */
  script?: string
  dir: string
  /** How many kills; fewer when something is lost before. */
  kills: number
  /** At most so much is acknowledged or seen between two kills. */
  most?: number
  /** A fraction in [0, 1) that decides how much is acknowledged or seen before each kill. */
  random(): number
}

export interface Survived {
  kills: number
  /** How many writes were acknowledged to a writer, and how many were shown to a reader. */
  acknowledged: number
  seen: number
  /** What was known and is not there any more, a line each. */
  lost: string[]
  /** Recorded sessions, and those of them that have not ended. */
  sessions: number
  open: number
  /** Sessions that began or ended without a webhook. */
  undelivered: string[]
  /** Events that were delivered under more than one `webhook-id`. */
  renamed: string[]
}

export interface Running {
  child: ChildProcess
  baseUrl: string
  ended(): Promise<unknown>
}

type Api = (method: string, path: string, body?: unknown) => Promise<any>

/** How many rooms of its own a writer keeps before it deletes the oldest. */
const kept = 20

/**
 * Kills a serving process again and again while rooms are made, renamed, deleted and read, and sessions begin and end.
 * After each kill it compares what is there with all that was acknowledged to a writer or shown to a reader. Nobody
 * pauses, so each kill comes in the middle of something.
 */
export async function killLoop({
  script = launcher,
  dir,
  kills,
  most = 60,
  random,
}: KillLoop): Promise<Survived> {
  const receiver = await startReceiver()
  const oracle = new Oracle()
  const lost: string[] = []
  let meeting: string | undefined
  let done = 0
  try {
    while (done < kills && lost.length === 0) {
      const running = await start(script, dir)
      const api = apiOf(running, dir)
      lost.push(...(await lossesOf(oracle, api, meeting)))
      meeting ??= (
        await api('POST', '/rooms', { name: 'Meeting', type: 'open', webhook: { url: receiver.url } })
      ).room.id
      await live(running, api, oracle, {
        quota: 3 + Math.floor(random() * most),
        random,
        meeting: meeting ?? '',
      })
      done++
    }
    const running = await start(script, dir)
    const api = apiOf(running, dir)
    lost.push(...(await lossesOf(oracle, api, meeting)))
    if (lost.length > 0) {
      running.child.kill('SIGKILL')
      await running.ended()
      return { kills: done, ...oracle.counts, lost, sessions: 0, open: 0, undelivered: [], renamed: [] }
    }
    const { sessions } = await api('GET', `/rooms/${meeting}/sessions`)
    const wanted: string[] = sessions.flatMap(({ id }: { id: string }) => [
      `sessionJoined ${id}`,
      `sessionLeft ${id}`,
    ])
    await receiver.receives(wanted)
    running.child.kill('SIGTERM')
    await running.ended()
    return {
      kills: done,
      ...oracle.counts,
      lost,
      sessions: sessions.length,
      open: sessions.filter(
        ({ disconnected_at }: { disconnected_at: string | null }) => disconnected_at === null,
      ).length,
      undelivered: receiver.missing(wanted),
      renamed: receiver.renamed(),
    }
  } finally {
    receiver.stop()
  }
}

/** One life of the service, until it is killed. */
async function live(
  { child, baseUrl, ended }: Running,
  api: Api,
  oracle: Oracle,
  { quota, random, meeting }: { quota: number; random(): number; meeting: string },
): Promise<void> {
  let news = 0
  let killed = false
  const isNews = (isSo: boolean) => {
    if (!isSo || ++news < quota || killed) return
    killed = true
    child.kill('SIGKILL')
  }

  const writer = async () => {
    const own: string[] = []
    while (!killed) {
      const { room } = await api('POST', '/rooms', { name: '0', type: 'open' })
      isNews(oracle.learn(room.id, 0, 'acknowledged'))
      own.push(room.id)
      for (let number = 1; number <= 3 && !killed; number++) {
        await api('PUT', `/rooms/${room.id}`, { name: String(number) })
        isNews(oracle.learn(room.id, number, 'acknowledged'))
      }
      const oldest = own.length > kept || random() < 0.3 ? own.shift() : undefined
      if (oldest === undefined || killed) continue
      oracle.deleting(oldest)
      await api('DELETE', `/rooms/${oldest}`)
      isNews(oracle.learn(oldest, deleted, 'acknowledged'))
    }
  }
  const reader = async () => {
    while (!killed) {
      const { rooms } = await api('GET', '/rooms?limit=20')
      for (const { id, name } of rooms) if (id !== meeting) isNews(oracle.learn(id, Number(name), 'seen'))
    }
  }
  const visitor = async () => {
    while (!killed) {
      const socket = await join(baseUrl, meeting)
      isNews(true)
      if (random() < 0.5) socket.close()
    }
  }
  // What is under way when the kill comes fails without being known to anybody.
  const ways = await Promise.allSettled([writer(), writer(), reader(), reader(), visitor()])
  if (!killed) {
    child.kill('SIGKILL')
    throw new Error('nothing could be done', { cause: ways })
  }
  await ended()
}

/** What is lost of what was known. */
async function lossesOf(oracle: Oracle, api: Api, meeting: string | undefined): Promise<string[]> {
  const held = new Map<string, number>()
  for (let offset = 0; ; ) {
    const { rooms, paging } = await api('GET', `/rooms?limit=1000&offset=${offset}`)
    for (const { id, name } of rooms) if (id !== meeting) held.set(id, Number(name))
    offset += rooms.length
    if (rooms.length === 0 || offset >= paging.total) break
  }
  const lost = oracle.missing(held)
  // The next start is not to become slower and slower.
  const superfluous = [...held.keys()].slice(100)
  for (const id of superfluous) {
    oracle.deleting(id)
    await api('DELETE', `/rooms/${id}`)
    oracle.learn(id, deleted, 'acknowledged')
  }
  return lost
}

/** Takes the webhooks of the sessions. */
export async function startReceiver() {
  const events = new Map<string, Set<string>>()
  let noted = () => {}
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { action, payload } = JSON.parse(body)
    const event = `${action} ${payload.sessionId}`
    events.set(event, (events.get(event) ?? new Set()).add(String(request.headers['webhook-id'])))
    response.end()
    noted()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const missing = (wanted: readonly string[]) => wanted.filter((event) => !events.has(event))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    missing,
    /** Waits until all of them have come. */
    async receives(wanted: readonly string[]) {
      const delivered = new Promise<void>((done) => {
        noted = () => {
          if (missing(wanted).length === 0) done()
        }
        noted()
      })
      await soon('every event to be delivered', delivered, () => missing(wanted), 120_000)
    },
    renamed: () => [...events].filter(([, ids]) => ids.size > 1).map(([event]) => event),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function start(script: string, dir: string): Promise<Running> {
  const argv = ['serve', '--data-dir', dir, '--port', '0', '--json', '-q', '--webhook-retry-scale', '0.01']
  const child = spawn(node, [script, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise((done) => child.once('close', done))
  const ready = new Promise<string>((done, failed) => {
    child.stdout.setEncoding('utf8').once('data', done)
    child.once('close', () => failed(new Error('the service ended before it was ready')))
  })
  const { base_url } = JSON.parse(await soon('the service to be ready', ready))
  return { child, baseUrl: base_url, ended: () => soon('the end of the service', closed) }
}

export function apiOf({ baseUrl }: Running, dir: string): Api {
  const key = readFileSync(`${dir}/api-key`, 'utf8').trim()
  return async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
}

/** Joins a room; resolves once the service has acknowledged the session. */
export function join(baseUrl: string, room: string): Promise<WebSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/rooms/${room}/connect`)
  return new Promise((done, failed) => {
    socket.once('message', () => done(socket))
    socket.once('error', failed)
    socket.once('close', () => failed(new Error('closed')))
  })
}
