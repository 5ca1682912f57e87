import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Clock, startInterval } from '../common/clock.ts'
import { Fault, invalid, notFound, toStorageFault } from '../common/faults.ts'
import { readRequestId } from '../common/request-id.ts'
import { hasBody, parseUrl } from '../common/requests.ts'
import { type AdmissionDeps, admit, parseConnectPath } from './admission.ts'
import { Backlog } from './backlog.ts'
import { runInTurns } from './broadcast-queue.ts'
import { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { type AnonymousLimits, JoinLimiter } from './join-limiter.ts'
import { type CloseReason, closeReasons, type SessionClient } from './session-control.ts'
import { refuseUpgrade, respondToUpgrade, type UpgradeResponse } from './upgrade.ts'

/** Close code of a connection lost without a close frame (RFC 6455, section 7.4.1). */
const abnormalClosure = 1006

const pingIntervalMs = 5000
/** Time without received data after which a peer counts as lost, in milliseconds. */
const idleTimeoutMs = 15_000
/** Maximum size of a received message, in bytes. */
const maxFrameBytes = 16 * 1024
/** Maximum time for the closing handshake with a refused client, in milliseconds. */
const closeTimeoutMs = 5000

/** Maximum time to wait for peers in `probe` and `drain`, in milliseconds. */
const peerTimeoutMs = 1000

interface Liveness {
  /** Monotonic time of the handshake or the last data, in milliseconds. `probe` can set a later time. */
  lastReceivedAt: number
  onReceived: () => void
  cancel: () => void
}

/** Session to connect, or the response that replaces the handshake, possibly after a join. */
export type ConnectOutcome<S> =
  | { session: S; isCut: boolean }
  | { session: S | undefined; response: UpgradeResponse }

/** Test seam for connections. `join` admits the client and records the start of the session. */
export type ConnectInterceptor = <S>(roomId: string, join: () => Promise<S>) => Promise<ConnectOutcome<S>>

const connectNormally: ConnectInterceptor = async (_, join) => ({ session: await join(), isCut: false })

interface SocketsOptions {
  admissionDeps: AdmissionDeps
  hub: Hub
  clock: Clock
  onFailure(error: unknown): void
  onConnect?: (event: { roomId: string; outcome: string; requestId: string }) => void
  interceptConnect?: ConnectInterceptor | undefined
  anonymousLimits?: AnonymousLimits | undefined
}

/** Server of WebSocket sessions at `/v1/rooms/{id}/connect`. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    handleProtocols: selectProtocol,
  })
  readonly #connections = new Map<WebSocket, Liveness>()
  readonly #joins: JoinLimiter
  readonly #backlog = new Backlog()
  readonly #stopPinging: () => void
  #pinging = false

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#joins = new JoinLimiter(() => options.clock.monotonic(), options.anonymousLimits)
    this.#server.on('headers', (headers, request) => headers.push(`X-Request-Id: ${readRequestId(request)}`))
    this.#stopPinging = startInterval(options.clock, pingIntervalMs, () => void this.#ping())
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { admissionDeps, hub, onConnect, onFailure, interceptConnect = connectNormally } = this.#options
    const connection = new Connection(this.#backlog)
    const requestId = readRequestId(request)
    // The HTTP server has already validated the request target.
    const { pathname, searchParams } = parseUrl(request.url ?? '/')
    const isView = readProtocols(request).includes(roomProtocol)
    try {
      const roomId = parseConnectPath(pathname)
      if (roomId === undefined) throw notFound('operation')
      if (!isHandshake(request)) throw invalid('this is not a WebSocket handshake')
      const token = searchParams.get('access_token') ?? readTokenProtocol(request)
      // Admission precedes the upgrade, so that HTTP clients can read a refusal.
      const join = () =>
        admissionDeps.store.write(() => {
          const admission = admit(admissionDeps, roomId, token)
          const client = readClient(request)
          if (token === undefined) this.#joins.count(roomId, client.ipAddress)
          const session = { id: admissionDeps.newId(), ...admission, peer: connection }
          const joined = hub.join(session, client)
          if (isView) hub.view(joined)
          return joined
        })
      const outcome = await interceptConnect(roomId, join)
      if ('response' in outcome) {
        if (outcome.session) await hub.leave(outcome.session, 'lost')
        onConnect?.({ roomId, outcome: 'injected fault', requestId })
        return respondToUpgrade(socket, outcome.response, requestId)
      }
      const { session, isCut } = outcome
      if (token === undefined) this.#joins.hold(socket)
      onConnect?.({ roomId, outcome: 'joined', requestId })
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#trackLiveness(webSocket)
        webSocket.on(
          'close',
          (code) => void hub.leave(session, code === abnormalClosure ? 'lost' : 'left').catch(onFailure),
        )
        const { id, memberId, userId, type } = session
        connection.attach(webSocket, socket, {
          event: 'joined',
          session: { id, room_id: roomId, member_id: memberId, user_id: userId, type },
        })
      })
      if (isCut) socket.end(() => socket.destroy())
      // The handshake may have failed, or the peer may have disconnected.
      if (!connection.attached) await hub.leave(session, 'lost')
    } catch (error) {
      const fault = error instanceof Fault ? error : toStorageFault(error)
      if (!fault) throw error
      if (isView && isHandshake(request)) this.#closeWithReason(request, socket, head, fault)
      else refuseUpgrade(socket, fault, requestId)
      onConnect?.({ roomId: pathname, outcome: fault.message, requestId })
    }
  }

  /** Refuses with a close code, because browsers cannot read the HTTP response to a handshake. */
  #closeWithReason(request: IncomingMessage, socket: Duplex, head: Buffer, fault: Fault): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {})
      webSocket.close(...toCloseReason(fault))
      const cancel = this.#options.clock.after(closeTimeoutMs, () => webSocket.terminate())
      webSocket.on('close', cancel)
    })
  }

  #trackLiveness(webSocket: WebSocket): void {
    const { clock } = this.#options
    const now = clock.monotonic()
    const liveness: Liveness = { lastReceivedAt: now, onReceived: () => {}, cancel: () => {} }
    const wait = (ms: number) => {
      liveness.cancel = clock.after(ms, () => {
        const idleMs = clock.monotonic() - liveness.lastReceivedAt
        if (idleMs >= idleTimeoutMs) webSocket.terminate()
        else wait(idleTimeoutMs - idleMs)
      })
    }
    wait(idleTimeoutMs)
    this.#connections.set(webSocket, liveness)
    const markAlive = () => {
      liveness.lastReceivedAt = Math.max(liveness.lastReceivedAt, clock.monotonic())
      liveness.onReceived()
    }
    for (const event of ['pong', 'ping', 'message']) webSocket.on(event, markAlive)
    // An error needs no handling, because a `close` event follows.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      liveness.cancel()
      this.#connections.delete(webSocket)
    })
  }

  /**
   * Pings the peers that a clock jump of `ms` milliseconds would time out. Peers that respond count as alive
   * until after the jump.
   */
  async probe(ms: number, realClock: Clock): Promise<void> {
    const end = this.#options.clock.monotonic() + ms
    const probed = [...this.#connections].filter(
      ([, { lastReceivedAt }]) => lastReceivedAt + idleTimeoutMs <= end,
    )
    const responses = probed.map(([webSocket, liveness]) => {
      const responded = new Promise<void>((resolve) => {
        const finish = () => {
          webSocket.off('close', finish)
          resolve()
        }
        liveness.onReceived = finish
        webSocket.once('close', finish)
      })
      webSocket.ping()
      return responded.then(() => {
        liveness.lastReceivedAt = end
      })
    })
    await withTimeout(Promise.all(responses), realClock)
    for (const [, liveness] of probed) liveness.onReceived = () => {}
  }

  /** Waits until all peers have closed their connections, for at most a second. */
  async drain(realClock: Clock): Promise<void> {
    const closed = [...this.#connections.keys()].map(
      (webSocket) => new Promise((resolve) => webSocket.once('close', resolve)),
    )
    await withTimeout(Promise.all(closed), realClock)
  }

  async #ping(): Promise<void> {
    if (this.#pinging) return
    this.#pinging = true
    await runInTurns(this.#connections.keys(), (webSocket) => webSocket.ping())
    this.#pinging = false
  }

  close(): void {
    this.#stopPinging()
    for (const [webSocket, { cancel }] of this.#connections) {
      cancel()
      webSocket.terminate()
    }
    this.#server.close()
  }
}

async function withTimeout(work: Promise<unknown>, clock: Clock): Promise<void> {
  let cancel = () => {}
  const timeout = new Promise<void>((resolve) => {
    cancel = clock.after(peerTimeoutMs, resolve)
  })
  await Promise.race([work, timeout])
  cancel()
}

/** Maximum number of recorded characters of a user agent. */
const maxUserAgent = 512

function readClient({ socket, headers }: IncomingMessage): Required<SessionClient> {
  return {
    // On an IPv6 listener, Node reports IPv4 addresses as `::ffff:192.0.2.1`.
    ipAddress: socket.remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? null,
    userAgent: headers['user-agent']?.slice(0, maxUserAgent) ?? null,
  }
}

/** Checks the handshake before the join, because a refused client must not have a session. */
function isHandshake(request: IncomingMessage): boolean {
  const { method, headers } = request
  const { 'sec-websocket-key': key = '', 'sec-websocket-protocol': protocols } = headers
  // Version 8 sends the origin in a header that the server does not check.
  const isVersion = headers['sec-websocket-version'] === '13'
  const isKey = /^[+/0-9A-Za-z]{22}==$/.test(key)
  // A proxy could treat the WebSocket frames as a request body.
  if (method !== 'GET' || !isVersion || !isKey || hasBody(request)) return false
  return protocols === undefined || isProtocolList(protocols)
}

function isProtocolList(header: string): boolean {
  const names = header.split(/[ \t]*,[ \t]*/)
  return names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)) && new Set(names).size === names.length
}

/** Subprotocol of clients that show the room. */
const roomProtocol = 'meetroom.room'

/** Prefix of the subprotocol with the access token in base64url, because servers often log URLs. */
const tokenPrefix = 'access-token.'

function readProtocols({ headers }: IncomingMessage): readonly string[] {
  return headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? []
}

function readTokenProtocol(request: IncomingMessage): string | undefined {
  const protocol = readProtocols(request).find((name) => name.startsWith(tokenPrefix))
  return protocol && Buffer.from(protocol.slice(tokenPrefix.length), 'base64url').toString()
}

/** Selects the subprotocol of a session, but never a subprotocol that contains a token. */
function selectProtocol(protocols: ReadonlySet<string>): string | false {
  if (protocols.has(roomProtocol)) return roomProtocol
  const [first] = [...protocols].filter((name) => !name.startsWith(tokenPrefix))
  return first ?? false
}

function toCloseReason({ status, code, message }: Fault): CloseReason {
  if (code === 'terminated') return closeReasons.terminated
  if (message === 'blocked') return closeReasons.blocked
  // 1013 means that the client may retry later (IANA's registry of WebSocket close codes).
  return status === 429 || code === 'storage' ? [1013, message] : [4400, message]
}
