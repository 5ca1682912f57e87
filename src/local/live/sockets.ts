import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Fault, invalid, notFound } from '../faults.ts'
import type { Desk } from '../handlers/handler.ts'
import { admit, roomToConnect } from './admission.ts'
import { type Clock, every } from './clock.ts'
import type { Hub } from './hub.ts'
import type { Ending, LiveSession } from './live.ts'

const pingMs = 5000
/** A peer that has been silent for this long is gone, in milliseconds. */
const silenceMs = 15_000
/** Clients have nothing to say but that they are there. */
const maxFrameBytes = 16 * 1024
/** More than this unsent, in bytes, and the peer does not read: several of the largest messages. */
const maxBufferedBytes = 64 * 1024 * 1024

interface SocketsOptions {
  desk: Pick<Desk, 'store' | 'now' | 'newId'>
  hub: Hub
  clock: Clock
  /** Told of a failure to store something. */
  onFailure(error: unknown): void
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
  /** Every open socket, and how to stop watching it. */
  readonly #open = new Map<WebSocket, () => void>()
  readonly #stopPinging: () => void

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#stopPinging = every(options.clock, pingMs, () => this.#ping())
  }

  /** Answers an upgrade request that has passed the checks of the server. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { desk, hub, onConnect, onFailure } = this.#options
    const { pathname, searchParams } = new URL(`http://localhost${request.url}`)
    const connection = new Connection()
    let recorded: LiveSession | undefined
    try {
      const roomId = roomToConnect(pathname)
      if (roomId === undefined) throw notFound('operation')
      if (!isHandshake(request)) throw invalid('this is no WebSocket handshake')
      const token = searchParams.get('access_token') ?? undefined
      // The session begins with the answer to the upgrade: a refusal is one that any HTTP client can read.
      const { session, joined } = await desk.store.write(() => {
        const session = { id: desk.newId(), ...admit(desk, roomId, token), ...connection.ends }
        recorded = session
        return { session, joined: hub.join(session) }
      })
      onConnect?.({ roomId, outcome: 'joined' })
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#watch(webSocket)
        webSocket.on('close', () => void hub.leave(session).catch(onFailure))
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
        // Not on disk, and so not to be counted.
        if (recorded) await hub.leave(recorded)
        throw error
      }
      refuseUpgrade(socket, error)
      onConnect?.({ roomId: pathname, outcome: error.message })
    }
  }

  /** Cuts a peer that has been silent for too long. */
  #watch(webSocket: WebSocket): void {
    const { clock } = this.#options
    let heardAt = clock.monotonic()
    let cancel = () => {}
    const wait = (ms: number) => {
      cancel = clock.after(ms, () => {
        const silent = clock.monotonic() - heardAt
        if (silent >= silenceMs) webSocket.terminate()
        else wait(silenceMs - silent)
      })
    }
    wait(silenceMs)
    this.#open.set(webSocket, () => cancel())
    const heard = () => {
      heardAt = clock.monotonic()
    }
    webSocket.on('pong', heard)
    webSocket.on('ping', heard)
    webSocket.on('message', heard)
    // What is wrong with a frame is in the close code already.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      cancel()
      this.#open.delete(webSocket)
    })
  }

  #ping(): void {
    for (const webSocket of this.#open.keys()) webSocket.ping()
  }

  /** Cuts whoever has not closed yet. */
  close(): void {
    this.#stopPinging()
    for (const [webSocket, cancel] of this.#open) {
      cancel()
      webSocket.terminate()
    }
    this.#server.close()
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

/** Whether `ws` will accept it: nobody is to be recorded as connected before that. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version = '' } = headers
  return method === 'GET' && /^[+/0-9A-Za-z]{22}==$/.test(key) && /^(8|13)$/.test(version)
}

function refuseUpgrade(socket: Duplex, { status, code, message }: Fault): void {
  const body = `${JSON.stringify({ error: { code, message } })}\n`
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
