import { copyFileSync, existsSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { formatLogLine } from '../../src/embedded/common/log.ts'
import { serve } from '../../src/embedded/serve.ts'
import type { AnonymousLimits } from '../../src/embedded/sessions/join-limiter.ts'
import type { Lookup } from '../../src/embedded/webhooks/post.ts'
import { testNow } from './host.ts'
import { soon, Watched } from './waiting.ts'
import { tempDir } from './world.ts'

/** Creates a machine whose time advances only when a test advances it. */
export function testMachine(startsAt = testNow) {
  let monotonic = 0
  let wall = startsAt
  let count = 0
  const timers = new Map<number, { due: number; work: () => void }>()

  function next(until: number) {
    const due = [...timers].filter(([, timer]) => timer.due <= until)
    // Timers for the same time fire in the order in which they were set.
    due.sort(([a, { due: x }], [b, { due: y }]) => x - y || a - b)
    return due[0]
  }

  return {
    pid: 1,
    random: () => 0.5,
    quietly: <T>(load: () => Promise<T>) => load(),
    now: () => wall + monotonic,
    monotonic: () => monotonic,
    after(ms: number, work: () => void): () => void {
      const id = count++
      // Node reduces a delay above 31 bits to 1 ms.
      timers.set(id, { due: monotonic + (ms > 2 ** 31 - 1 ? 1 : ms), work })
      return () => void timers.delete(id)
    },
    /** Advances the time and fires the due timers in order. */
    advance(ms: number): void {
      const end = monotonic + ms
      for (let timer = next(end); timer; timer = next(end)) {
        const [id, { due, work }] = timer
        timers.delete(id)
        monotonic = Math.max(monotonic, due)
        work()
      }
      monotonic = end
    },
    /** Advances the time without firing timers, like a busy process. */
    stall(ms: number): void {
      monotonic += ms
    },
    /** Moves only the wall clock, so that no timer becomes due. */
    setWallClock(byMs: number): void {
      wall += byMs
    },
    get timers(): number {
      return timers.size
    },
  }
}

export type TestMachine = ReturnType<typeof testMachine>

export interface Frame {
  event: string
  message?: string
  session?: { id: string; room_id: string; member_id: string; user_id: string | null; type: string }
}

export interface Refusal {
  status: number
  code: string
  message: string
}

/** Client of a room that records received frames and the end of its connection. */
export class Peer {
  readonly #socket: WebSocket
  readonly frames: Frame[] = []
  readonly #closed: Promise<{ code: number; reason: string }>
  readonly #watched = new Watched(() => this.frames)

  constructor(
    socket: WebSocket,
    /** True if the peer does not respond to pings. */
    readonly silent: boolean,
  ) {
    this.#socket = socket
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(data.toString()))
      this.#watched.changed()
    })
    this.#closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() })
        this.#watched.end('the connection was closed')
      })
    })
    socket.on('error', () => {})
  }

  /** Session from the greeting; throws if there is none. */
  get session(): NonNullable<Frame['session']> {
    const session = this.frames[0]?.session
    if (!session) throw new Error('no session yet')
    return session
  }

  get messages(): (string | undefined)[] {
    return this.frames.filter(({ event }) => event === 'message').map(({ message }) => message)
  }

  until(holds: (peer: Peer) => boolean): Promise<void> {
    return this.#watched.until(String(holds), () => holds(this))
  }

  get closed(): Promise<{ code: number; reason: string }> {
    return soon('the connection to be closed', this.#closed, () => this.frames)
  }

  async speak(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    const heard = new Promise((resolve) => this.#socket.once('pong', resolve))
    this.#socket.ping()
    await soon('a pong', Promise.race([heard, this.#closed]))
  }

  send(data: string): void {
    this.#socket.send(data)
  }

  /** Closes the connection with a close frame. */
  async leave(): Promise<void> {
    this.#socket.close(1000)
    await this.closed
  }

  /** Drops the connection without a close frame. */
  vanish(): void {
    this.#socket.terminate()
  }
}

interface PeerOptions {
  token?: string | undefined
  silent?: boolean
  headers?: Record<string, string>
}

/** Opens a connection that the service may refuse. */
export function knock(url: string, { silent = false, headers = {} }: PeerOptions): Promise<Peer | Refusal> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { autoPong: !silent, headers })
    const peer = new Peer(socket, silent)
    socket.once('error', reject)
    socket.once('unexpected-response', async (_request, response) => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8')) body += chunk
      resolve({ status: response.statusCode ?? 0, ...(body === '' ? {} : JSON.parse(body).error) })
    })
    peer.until(({ frames }) => frames.length > 0).then(() => resolve(peer), reject)
  })
}

interface ServedOptions {
  /** Directory of the workspace; in memory if undefined. */
  dir?: string
  machine?: TestMachine
  lookup?: Lookup
  anonymousLimits?: AnonymousLimits
}

/** Starts the service on a real socket, with a clock that the test controls. */
export async function serveWorkspace({
  dir,
  machine = testMachine(),
  lookup,
  anonymousLimits,
}: ServedOptions = {}) {
  const log: string[] = []
  const peers = new Set<Peer>()
  const serving = await serve({
    dir,
    keyFile: join(dir ?? tempDir(), 'api-key'),
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    webhookRetryScale: 1,
    allowPrivateWebhooks: false,
    userAgent: 'meetroom/test',
    machine,
    ...(lookup && { lookup }),
    anonymousLimits,
    log: (entry) => log.push(formatLogLine(entry)),
  })
  let stopped: Promise<number> | undefined
  const stop = () => {
    stopped ??= serving.close()
    return stopped
  }
  onTestFinished(async () => {
    for (const peer of peers) peer.vanish()
    await stop()
  })

  const connectUrl = (room: string, token: string | undefined) =>
    `${serving.baseUrl.replace('http', 'ws')}/rooms/${encodeURIComponent(room)}/connect` +
    (token === undefined ? '' : `?access_token=${encodeURIComponent(token)}`)

  async function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const answer = await fetch(serving.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${serving.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** @throws {Error} if the status is not 200 */
  async function ask(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await send(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }

  async function sessions(room: string, query = ''): Promise<any[]> {
    return (await ask('GET', `/rooms/${room}/sessions${query}`)).sessions
  }

  return {
    baseUrl: serving.baseUrl,
    apiKey: serving.apiKey,
    dir,
    machine,
    log,
    send,
    ask,
    sessions,
    stop,

    async room(fields: object = {}): Promise<string> {
      return (await ask('POST', '/rooms', { name: 'Room', type: 'open', ...fields })).room.id
    },
    async user(user_id: string, fields: object = {}): Promise<string> {
      return (await ask('POST', '/users', { user_id, ...fields })).user.access_token
    },
    async member(room: string, user_id: string, type?: string): Promise<string> {
      return (await ask('POST', `/rooms/${room}/members`, { user_id, type })).member.id
    },
    async getRoom(room: string): Promise<any> {
      return (await ask('GET', `/rooms/${room}`)).room
    },
    say: (room: string, message: string) => ask('POST', `/rooms/${room}/message`, { message }),

    /** Joins a room; resolves after the greeting, and throws if the service refuses. */
    async join(room: string, options: PeerOptions = {}): Promise<Peer> {
      const peer = await knock(connectUrl(room, options.token), options)
      if (!(peer instanceof Peer)) throw new Error(`refused: ${JSON.stringify(peer)}`)
      peers.add(peer)
      return peer
    },
    async refusal(room: string, options: PeerOptions = {}): Promise<Refusal> {
      const refusal = await knock(connectUrl(room, options.token), options)
      if (refusal instanceof Peer) throw new Error('not refused')
      return refusal
    },
    /** Polls the sessions until they match. */
    async untilSessions(room: string, holds: (sessions: any[]) => boolean): Promise<any[]> {
      let found = await sessions(room)
      const asking = async () => {
        while (!holds(found)) found = await sessions(room)
        return found
      }
      return soon(`sessions so that ${holds}`, asking(), () => found)
    },

    /** Advances the time while all peers except silent peers respond to pings. */
    async advance(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 5000) {
        machine.advance(Math.min(left, 5000))
        for (const peer of peers) if (!peer.silent) await peer.speak()
        await setImmediate()
      }
    },
    /** Advances the time in one step. The service processes the frames of peers before the late timers. */
    async stall(ms: number): Promise<void> {
      machine.stall(ms)
      for (const peer of peers) await peer.speak()
      machine.advance(0)
      await setImmediate()
    },
  }
}

export type Served = Awaited<ReturnType<typeof serveWorkspace>>

/** Stops a service, and serves its directory again `after` milliseconds later on the test clock. */
export async function restart({ dir, machine, stop }: Served, { after = 0 } = {}): Promise<Served> {
  await stop()
  return serveWorkspace({ ...(dir && { dir }), machine: testMachine(machine.now() + after) })
}

/**
 * Serves a copy of the current files, as after a crash. The original service continues.
 * @throws {Error} for a workspace in memory
 */
export async function crash({ dir, machine }: Served, { after = 0 } = {}): Promise<Served> {
  if (dir === undefined) throw new Error('nothing of a workspace in memory survives a crash')
  const copy = tempDir()
  for (const file of ['workspace.db', 'workspace.db-wal', 'api-key'])
    if (existsSync(join(dir, file))) copyFileSync(join(dir, file), join(copy, file))
  return serveWorkspace({ dir: copy, machine: testMachine(machine.now() + after) })
}

/** Starts a relay that can interrupt connections to a service. */
export async function relayTo(baseUrl: string) {
  let target = new URL(baseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Drops all connections. New connections are accepted. */
    cut,
    /** Forwards new connections to another service. */
    leadTo(baseUrl: string) {
      target = new URL(baseUrl)
    },
    /** Stops forwarding on existing connections without closing them. New connections are forwarded. */
    freeze() {
      for (const socket of sockets) socket.pause().unpipe()
    },
  }
}
