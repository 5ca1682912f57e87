import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Clock, every } from '../common/clock.ts'
import { Fault, invalid, notFound, storageFault } from '../common/faults.ts'
import { peerTurnMs, startTurn, type TurnScheduler } from '../common/pace.ts'
import { parseUrl } from '../common/requests.ts'
import { type AdmissionDeps, admit, roomToConnect } from './admission.ts'
import { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { refuseUpgrade } from './upgrade.ts'

/** The close code of a connection that was lost without a close frame (RFC 6455, section 7.4.1). */
const withoutClosing = 1006

const pingMs = 5000
/** Silence after which a peer counts as gone, in milliseconds. */
const silenceMs = 15_000
/** Clients send only pongs and close frames. */
const maxFrameBytes = 16 * 1024

interface SocketsOptions {
  admissionDeps: AdmissionDeps
  hub: Hub
  clock: Clock
  pace: TurnScheduler
  onFailure(error: unknown): void
  onConnect?: (event: { roomId: string; outcome: string }) => void
}

/** Server of WebSocket sessions at `/v1/rooms/{id}/connect?access_token=…`. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  })
  readonly #open = new Map<WebSocket, () => void>()
  readonly #stopPinging: () => void
  #pinging = false

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#stopPinging = every(options.clock, pingMs, () => void this.#ping())
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { admissionDeps, hub, onConnect, onFailure } = this.#options
    const connection = new Connection()
    // The server has checked that the target is a path or a URL.
    const { pathname, searchParams } = parseUrl(request.url ?? '/')
    try {
      const roomId = roomToConnect(pathname)
      if (roomId === undefined) throw notFound('operation')
      if (!isHandshake(request)) throw invalid('this is not a WebSocket handshake')
      const token = searchParams.get('access_token') ?? undefined
      // Admission comes before the upgrade: any HTTP client can read a refusal.
      const session = await admissionDeps.store.write(() => {
        const admission = admit(admissionDeps, roomId, token)
        return hub.join({ id: admissionDeps.newId(), ...admission, peer: connection })
      })
      onConnect?.({ roomId, outcome: 'joined' })
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#watch(webSocket)
        webSocket.on(
          'close',
          (code) => void hub.leave(session, code === withoutClosing ? 'lost' : 'left').catch(onFailure),
        )
        const { id, memberId, userId, type } = session
        connection.attach(webSocket, socket, {
          event: 'joined',
          session: { id, room_id: roomId, member_id: memberId, user_id: userId, type },
        })
      })
      // The handshake may have failed, or the peer may be gone.
      if (!connection.attached) await hub.leave(session, 'lost')
    } catch (error) {
      const fault = error instanceof Fault ? error : storageFault(error)
      if (!fault) throw error
      refuseUpgrade(socket, fault)
      onConnect?.({ roomId: pathname, outcome: fault.message })
    }
  }

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
    const markAlive = () => {
      heardAt = clock.monotonic()
    }
    webSocket.on('pong', markAlive)
    webSocket.on('ping', markAlive)
    webSocket.on('message', markAlive)
    // The close code describes a bad frame.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      cancel()
      this.#open.delete(webSocket)
    })
  }

  async #ping(): Promise<void> {
    if (this.#pinging) return
    this.#pinging = true
    const turn = startTurn(this.#options.pace)
    for (const webSocket of this.#open.keys()) {
      webSocket.ping()
      const next = turn(peerTurnMs)
      if (next) await next
    }
    this.#pinging = false
  }

  close(): void {
    this.#stopPinging()
    for (const [webSocket, cancel] of this.#open) {
      cancel()
      webSocket.terminate()
    }
    this.#server.close()
  }
}

/** Returns true when `ws` will accept the handshake. Until then no session may be recorded. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  const { 'sec-websocket-key': key = '', 'sec-websocket-protocol': protocols } = headers
  // Version 8, which `ws` also accepts, sends the origin in a header that the server does not check.
  const isVersion = headers['sec-websocket-version'] === '13'
  const isKey = /^[+/0-9A-Za-z]{22}==$/.test(key)
  // A proxy would read the frames as a body.
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
  if (method !== 'GET' || !isVersion || !isKey || hasBody) return false
  return protocols === undefined || areProtocols(protocols)
}

/** Returns true for a list of distinct tokens. */
function areProtocols(header: string): boolean {
  const names = header.split(/[ \t]*,[ \t]*/)
  return names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)) && new Set(names).size === names.length
}
