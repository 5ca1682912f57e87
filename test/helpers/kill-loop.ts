import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { launcher } from './built.ts'
import { soon } from './waiting.ts'

export interface KillLoop {
  dir: string
  kills: number
  /** A fraction in [0, 1) that decides after how many acknowledged writes each kill comes. */
  random(): number
}

export interface Survived {
  /** Writes that were answered with 200, and those of them that survived. */
  acknowledged: number
  found: number
  /** Recorded sessions, and those of them that have not ended. */
  sessions: number
  open: number
  /** Sessions that began or ended without a webhook. */
  undelivered: string[]
  /** Events that were delivered under more than one `webhook-id`. */
  renamed: string[]
}

interface Running {
  child: ChildProcess
  baseUrl: string
  ended(): Promise<unknown>
}

/**
 * Kills a serving process again and again while it creates rooms and accepts sessions, and tells what is left of what it
 * acknowledged. Writers never pause, so each kill comes in the middle of something.
 */
export async function killLoop({ dir, kills, random }: KillLoop): Promise<Survived> {
  const events = new Map<string, Set<string>>()
  let noted = () => {}
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { action, payload } = JSON.parse(body)
    const event = `${action} ${payload.sessionId}`
    events.set(event, (events.get(event) ?? new Set()).add(String(request.headers['webhook-id'])))
    response.end()
    noted()
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

  const rooms: string[] = []
  let meeting: string | undefined
  for (let kill = 0; kill < kills; kill++) {
    const running = await start(dir)
    const api = apiOf(running, dir)
    meeting ??= (await api('POST', '/rooms', { name: 'Meeting', type: 'open', webhook: { url: hook } })).room
      .id
    const quota = 3 + Math.floor(random() * 40)
    let acknowledged = 0
    let killed = false
    const acknowledge = () => {
      if (++acknowledged < quota || killed) return
      killed = true
      running.child.kill('SIGKILL')
    }
    const writer = async () => {
      while (!killed) {
        const { room } = await api('POST', '/rooms', { name: 'Written', type: 'open' })
        rooms.push(room.id)
        acknowledge()
      }
    }
    const visitor = async () => {
      while (!killed) {
        const socket = await join(running.baseUrl, meeting ?? '')
        acknowledge()
        if (random() < 0.5) socket.close()
      }
    }
    // What is under way when the kill comes fails without being acknowledged.
    await Promise.allSettled([writer(), writer(), visitor(), visitor()])
    await running.ended()
  }

  const running = await start(dir)
  const api = apiOf(running, dir)
  const { sessions } = await api('GET', `/rooms/${meeting}/sessions`)
  const wanted = sessions.flatMap(({ id }: { id: string }) => [`sessionJoined ${id}`, `sessionLeft ${id}`])
  const missing = () => wanted.filter((event: string) => !events.has(event))
  const delivered = new Promise<void>((done) => {
    noted = () => missing().length === 0 && done()
    noted()
  })
  await soon('every event to be delivered', delivered, missing, 45_000)
  const found = await Promise.all(rooms.map(async (id) => (await api('GET', `/rooms/${id}`)).room?.id === id))
  running.child.kill('SIGTERM')
  await running.ended()
  receiver.closeAllConnections()
  receiver.close()
  return {
    acknowledged: rooms.length,
    found: found.filter(Boolean).length,
    sessions: sessions.length,
    open: sessions.filter(
      ({ disconnected_at }: { disconnected_at: string | null }) => disconnected_at === null,
    ).length,
    undelivered: missing(),
    renamed: [...events].filter(([, ids]) => ids.size > 1).map(([event]) => event),
  }
}

async function start(dir: string): Promise<Running> {
  const argv = [
    launcher,
    'serve',
    '--data-dir',
    dir,
    '--port',
    '0',
    '--json',
    '-q',
    '--webhook-retry-scale',
    '0.01',
  ]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise((done) => child.once('close', done))
  const ready = new Promise<string>((done, failed) => {
    child.stdout.setEncoding('utf8').once('data', done)
    child.once('close', () => failed(new Error('the service ended before it was ready')))
  })
  const { base_url } = JSON.parse(await soon('the service to be ready', ready))
  return { child, baseUrl: base_url, ended: () => soon('the end of the service', closed) }
}

function apiOf({ baseUrl }: Running, dir: string) {
  const key = readFileSync(`${dir}/api-key`, 'utf8').trim()
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return response.json()
  }
}

/** Joins a room; resolves once the service has acknowledged the session. */
function join(baseUrl: string, room: string): Promise<WebSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/rooms/${room}/connect`)
  return new Promise((done, failed) => {
    socket.once('message', () => done(socket))
    socket.once('error', failed)
    socket.once('close', () => failed(new Error('closed')))
  })
}
