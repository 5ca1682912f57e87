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

/** A machine on which time passes only when a test says so. */
export function testMachine(startsAt = testNow) {
  let monotonic = 0
  let wall = startsAt
  let count = 0
  const timers = new Map<number, { due: number; work: () => void }>()

  function next(until: number) {
    const due = [...timers].filter(([, timer]) => timer.due <= until)
    // Timers for the same moment fire in the order in which they were set.
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
      // Node fires a timer at once when its delay does not fit into 31 bits.
      timers.set(id, { due: monotonic + (ms > 2 ** 31 - 1 ? 1 : ms), work })
      return () => void timers.delete(id)
    },
    /** Lets time pass, firing every timer at its moment. */
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
    /** Lets time pass while the process is busy: timers are late. */
    stall(ms: number): void {
      monotonic += ms
    },
    /** Sets the wall clock, forwards or back. */
    setWallClock(byMs: number): void {
      wall += byMs
    },
    /** Number of timers that are set. */
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

/** One end of a connection to a room: keeps what it receives, and how it ended. */
export class Peer {
  readonly #socket: WebSocket
  readonly frames: Frame[] = []
  readonly #closed: Promise<{ code: number; reason: string }>
  readonly #watched = new Watched(() => this.frames)

  constructor(
    socket: WebSocket,
    /** Whether it answers no pings. */
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

  /** The session, as the service announced it. */
  get session(): NonNullable<Frame['session']> {
    const session = this.frames[0]?.session
    if (!session) throw new Error('no session yet')
    return session
  }

  get messages(): (string | undefined)[] {
    return this.frames.filter(({ event }) => event === 'message').map(({ message }) => message)
  }

  /** Waits for the frames to be as expected. */
  until(holds: (peer: Peer) => boolean): Promise<void> {
    return this.#watched.until(String(holds), () => holds(this))
  }

  /** Waits for the connection to end; tells how it did. */
  get closed(): Promise<{ code: number; reason: string }> {
    return soon('the connection to be closed', this.#closed, () => this.frames)
  }

  /** Pings the service, and waits for its answer. */
  async speak(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    const heard = new Promise((resolve) => this.#socket.once('pong', resolve))
    this.#socket.ping()
    await soon('a pong', Promise.race([heard, this.#closed]))
  }

  send(data: string): void {
    this.#socket.send(data)
  }

  /** Closes the connection properly. */
  async leave(): Promise<void> {
    this.#socket.close(1000)
    await this.closed
  }

  /** Drops the connection without a close. */
  vanish(): void {
    this.#socket.terminate()
  }
}

interface PeerOptions {
  token?: string | undefined
  silent?: boolean
  headers?: Record<string, string>
}

/** Tries to join. */
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
  /** Folder of the workspace; in memory when there is none. */
  dir?: string
  machine?: TestMachine
  /** Resolves the host names of webhooks. */
  lookup?: Lookup
  anonymousLimits?: AnonymousLimits
}

/** The whole service behind a real socket, on a machine whose time the test controls. */
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

  /** Sends a request that must succeed. */
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

    /** Makes a room; returns its id. */
    async room(fields: object = {}): Promise<string> {
      return (await ask('POST', '/rooms', { name: 'Room', type: 'open', ...fields })).room.id
    },
    /** Makes a user; returns the access token. */
    async user(user_id: string, fields: object = {}): Promise<string> {
      return (await ask('POST', '/users', { user_id, ...fields })).user.access_token
    },
    /** Adds a user to a room; returns the id of the member. */
    async member(room: string, user_id: string, type?: string): Promise<string> {
      return (await ask('POST', `/rooms/${room}/members`, { user_id, type })).member.id
    },
    async getRoom(room: string): Promise<any> {
      return (await ask('GET', `/rooms/${room}`)).room
    },
    say: (room: string, message: string) => ask('POST', `/rooms/${room}/message`, { message }),

    /** Joins, and waits until the session has begun. */
    async join(room: string, options: PeerOptions = {}): Promise<Peer> {
      const peer = await knock(connectUrl(room, options.token), options)
      if (!(peer instanceof Peer)) throw new Error(`refused: ${JSON.stringify(peer)}`)
      peers.add(peer)
      return peer
    },
    /** Tries to join, and must be refused. */
    async refusal(room: string, options: PeerOptions = {}): Promise<Refusal> {
      const refusal = await knock(connectUrl(room, options.token), options)
      if (refusal instanceof Peer) throw new Error('not refused')
      return refusal
    },
    /**
     * Asks for the sessions until they are as expected: the network decides when the service notices that a peer is gone,
     * and there is no event to wait for.
     */
    async untilSessions(room: string, holds: (sessions: any[]) => boolean): Promise<any[]> {
      let found = await sessions(room)
      const asking = async () => {
        while (!holds(found)) found = await sessions(room)
        return found
      }
      return soon(`sessions so that ${holds}`, asking(), () => found)
    },

    /** Lets time pass while all peers but the silent ones answer pings. */
    async advance(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 5000) {
        machine.advance(Math.min(left, 5000))
        for (const peer of peers) if (!peer.silent) await peer.speak()
        await setImmediate()
      }
    },
    /** Lets any length of time pass at once: timers are late, but peers are heard first. */
    async stall(ms: number): Promise<void> {
      machine.stall(ms)
      for (const peer of peers) await peer.speak()
      machine.advance(0)
      await setImmediate()
    },
  }
}

export type Served = Awaited<ReturnType<typeof serveWorkspace>>

/** Stops a service and, some time later, serves the same workspace again. */
export async function restart({ dir, machine, stop }: Served, { after = 0 } = {}): Promise<Served> {
  await stop()
  return serveWorkspace({ ...(dir && { dir }), machine: testMachine(machine.now() + after) })
}

/**
 * Serves, some time later, what a crash at this moment would leave on disk. The original service runs on beside it
 * until the test is over.
 */
export async function crash({ dir, machine }: Served, { after = 0 } = {}): Promise<Served> {
  if (dir === undefined) throw new Error('nothing of a workspace in memory survives a crash')
  const copy = tempDir()
  for (const file of ['workspace.db', 'workspace.db-wal', 'api-key'])
    if (existsSync(join(dir, file))) copyFileSync(join(dir, file), join(copy, file))
  return serveWorkspace({ dir: copy, machine: testMachine(machine.now() + after) })
}

/** A relay to a service, whose connections a test can cut. */
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
    /** Drops every connection. New ones pass. */
    cut,
    /** Leads new connections to another service. */
    leadTo(baseUrl: string) {
      target = new URL(baseUrl)
    },
    /** Forwards nothing any more, without closing. New connections pass. */
    freeze() {
      for (const socket of sockets) socket.pause().unpipe()
    },
  }
}
