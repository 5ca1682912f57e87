import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Fault, notFound } from '../faults.ts'
import type { Desk } from '../handler.ts'
import { admit, roomToConnect } from './admission.ts'
import { type Clock, every } from './clock.ts'
import type { Hub } from './hub.ts'
import type { Ending } from './live.ts'

const pingMs = 5000
/** A peer that has been silent for this long is gone, in milliseconds. */
const silenceMs = 15_000
/** Clients have nothing to say but that they are there. */
const maxFrameBytes = 16 * 1024
/** More than this unsent, in bytes, and the peer is too slow to be served. */
const maxBufferedBytes = 1024 * 1024

interface SocketsOptions {
  desk: Pick<Desk, 'store' | 'now' | 'newId'>
  hub: Hub
  clock: Clock
  onConnect?: (event: { roomId: string; outcome: string }) => void
}

/** Sessions over WebSocket: `/v1/rooms/{id}/connect?access_token=…`. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  })
  /** Every open socket, and when it was last heard. */
  readonly #heard = new Map<WebSocket, number>()
  readonly #stopPinging: () => void

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#stopPinging = every(options.clock, pingMs, () => this.#ping())
  }

  /** Answers an upgrade request that has passed the checks of the server. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { desk, hub, onConnect } = this.#options
    const { pathname, searchParams } = new URL(`http://localhost${request.url}`)
    socket.on('error', () => socket.destroy())
    const connection = new Connection()
    try {
      const roomId = roomToConnect(pathname)
      if (roomId === undefined) throw notFound('operation')
      const token = searchParams.get('access_token') ?? undefined
      // The session begins with the answer to the upgrade: a refusal is one that any HTTP client can read.
      const { session, joined } = await desk.store.write(() => {
        const session = { id: desk.newId(), ...admit(desk, roomId, token), ...connection.ends }
        return { session, joined: hub.join(session) }
      })
      onConnect?.({ roomId, outcome: 'joined' })
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#watch(webSocket)
        webSocket.on('close', () => void hub.leave(session))
        const { id, memberId, userId, type } = session
        connection.attach(webSocket, {
          event: 'joined',
          session: { id, room_id: roomId, member_id: memberId, user_id: userId, type },
        })
      })
      joined()
      // The handshake itself may be refused, or the peer be gone by now.
      if (!connection.attached) await hub.leave(session)
    } catch (error) {
      if (!(error instanceof Fault)) {
        socket.destroy()
        throw error
      }
      refuseUpgrade(socket, error)
      onConnect?.({ roomId: pathname, outcome: error.message })
    }
  }

  #watch(webSocket: WebSocket): void {
    const heard = () => this.#heard.set(webSocket, this.#options.clock.monotonic())
    heard()
    webSocket.on('pong', heard)
    webSocket.on('ping', heard)
    webSocket.on('message', heard)
    // What is wrong with a frame is in the close code already.
    webSocket.on('error', () => {})
    webSocket.on('close', () => this.#heard.delete(webSocket))
  }

  #ping(): void {
    const now = this.#options.clock.monotonic()
    for (const [webSocket, heard] of this.#heard) {
      if (now - heard >= silenceMs) webSocket.terminate()
      else webSocket.ping()
    }
  }

  /** Cuts whoever has not closed yet. */
  close(): void {
    this.#stopPinging()
    for (const webSocket of this.#heard.keys()) webSocket.terminate()
    this.#server.close()
  }

  /** How many sockets are open. */
  get size(): number {
    return this.#heard.size
  }
}

/** A WebSocket that may not be there yet: what is sent to it before waits. */
class Connection {
  #webSocket: WebSocket | undefined
  #waiting: object[] = []
  #ending: Ending | undefined

  /** The ends of a session that the hub holds. */
  readonly ends = {
    send: (frame: object) => {
      if (this.#webSocket) sendFrame(this.#webSocket, frame)
      else this.#waiting.push(frame)
    },
    close: (ending: Ending) => {
      this.#ending = ending
      this.#webSocket?.close(...ending)
    },
  }

  get attached(): boolean {
    return this.#webSocket !== undefined
  }

  attach(webSocket: WebSocket, greeting: object): void {
    this.#webSocket = webSocket
    for (const frame of [greeting, ...this.#waiting]) sendFrame(webSocket, frame)
    if (this.#ending) webSocket.close(...this.#ending)
  }
}

function sendFrame(webSocket: WebSocket, frame: object): void {
  // A peer that does not read must not fill our memory.
  if (webSocket.bufferedAmount > maxBufferedBytes) webSocket.terminate()
  else webSocket.send(JSON.stringify(frame), () => {})
}

function refuseUpgrade(socket: Duplex, { status, code, message }: Fault): void {
  const body = `${JSON.stringify({ error: { code, message } })}\n`
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
