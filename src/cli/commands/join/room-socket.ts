import type { ClientRequestArgs } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import {
  createNotServedError,
  describeReason,
  isProtocolError,
  readErrorCode,
} from '../../../api/connection-failure.ts'
import { isRecord } from '../../../api/guards.ts'
import { parseJson, parseJsonBytes } from '../../../api/json.ts'
import type { ConnectionCheck } from '../../../api/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'

export interface RoomClosed {
  reason: string
  canRetry: boolean
  /** True if the command ends without an error. */
  isFinal: boolean
  /** Close code of the session, or error code of the refused connection. */
  code?: number | string
  status?: number
}

interface JoinOptions {
  interrupt: AbortSignal
  isTrusted: ConnectionCheck | undefined
  timeoutMs: number
  /** Remaining time for the first frame or for a refusal of the connection, in milliseconds. */
  remainingMs: number
}

const maxFrameBytes = 1024 * 1024

/** Approximate maximum length of the error body of a refused connection, in characters. */
const maxErrorBody = 64 * 1024

/** Maximum time without a frame, in milliseconds. The embedded service pings every five seconds. */
const silenceMs = 20_000

/** Maximum time for the closing handshake after an interrupt, in milliseconds. */
const closeTimeoutMs = 200

/** Close code of `ws` for a connection that ended without a close frame. */
const lost = 1006
const terminated = 4002
const final = new Map([
  [4001, 'blocked'],
  [terminated, 'the room is terminated'],
  [4003, 'the room is deleted'],
  [4004, 'the user is deleted'],
])

/**
 * Passes frames to `onFrame` in order.
 * @throws {ServiceError} for an invalid frame, and errors of `onFrame`; the result contains other errors
 */
export function connectToRoom(
  url: string,
  host: Host,
  { interrupt, isTrusted, timeoutMs, remainingMs }: JoinOptions,
  onFrame: (frame: Record<string, unknown>) => Promise<void>,
): Promise<RoomClosed> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
      ...(isTrusted && { createConnection: createVerifiedConnector(isTrusted) }),
    })
    let failure: RoomClosed | undefined
    let frames = Promise.resolve()
    let pending = 0
    let cancel = () => {}
    const heard = () => {
      cancel()
      cancel = host.after(silenceMs, () => socket.terminate())
    }
    const leave = () => {
      socket.close(1000)
      host.after(closeTimeoutMs, () => socket.terminate())
    }
    interrupt.addEventListener('abort', leave, { once: true })
    if (interrupt.aborted) leave()
    let describeDelay = (): RoomClosed => ({
      reason: `no response within ${timeoutMs / 1000} s`,
      canRetry: true,
      isFinal: false,
    })
    // The timeout of `ws` restarts with each received byte.
    const cancelDeadline = host.after(remainingMs, () => {
      failure ??= describeDelay()
      socket.terminate()
    })
    socket.on('open', heard)
    socket.on('ping', heard)
    socket.on('message', (data: Buffer) => {
      cancelDeadline()
      // The silence timer must not run while the socket is paused.
      cancel()
      socket.pause()
      pending++
      // Passes on one frame at a time to keep the output in order.
      frames = frames.then(async () => {
        await onFrame(readFrame(data))
        if (--pending > 0 || socket.readyState > WebSocket.OPEN) return
        socket.resume()
        heard()
      })
      frames.catch((error) => {
        socket.terminate()
        reject(error)
      })
    })
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      describeDelay = () => toRefusal(response.statusCode ?? 0, body)
      const end = () => {
        failure ??= describeDelay()
        socket.terminate()
      }
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
        if (body.length >= maxErrorBody) end()
      })
      response.on('close', end)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const code = readErrorCode(error)
      // A service that breaks the protocol may never complete the closing handshake.
      socket.terminate()
      // `ws` sets no code for errors of the handshake.
      failure ??= toFailure(code === 'Error' ? 'WS_ERR_HANDSHAKE' : code)
    })
    socket.on('close', (code, reason) => {
      cancel()
      cancelDeadline()
      interrupt.removeEventListener('abort', leave)
      const known = final.get(code)
      const said = known ?? (reason.toString() || 'the connection was lost')
      frames.then(
        () =>
          resolve(
            failure ?? {
              reason: said,
              ...(code !== lost && { code }),
              canRetry: known === undefined,
              isFinal: code === terminated,
            },
          ),
        () => {},
      )
    })
  })
}

/**
 * Creates a function that passes on only trusted sockets, because the request line contains the access
 * token.
 */
function createVerifiedConnector(isTrusted: ConnectionCheck): ClientRequestArgs['createConnection'] {
  return ({ host, port }, callback) => {
    const socket = connect({ host: host ?? 'localhost', port: Number(port) })
    socket.once('error', (error) => callback(error, socket))
    socket.once('connect', async () => {
      if (await isTrusted()) return callback(null, socket)
      socket.destroy(createNotServedError())
    })
    return undefined
  }
}

function toFailure(code: string): RoomClosed {
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return {
      reason: `a frame is larger than ${maxFrameBytes / 2 ** 20} MB`,
      ...{ status: 500, canRetry: false, isFinal: false },
    }
  const reason = describeReason(code)
  if (isProtocolError(code)) return { reason, status: 500, canRetry: true, isFinal: false }
  return { reason: `no connection: ${reason}`, canRetry: true, isFinal: false }
}

function readFrame(data: Buffer): Record<string, unknown> {
  try {
    const frame = parseJsonBytes(data).value
    if (isRecord(frame)) return frame
  } catch {}
  throw new ServiceError('the service sent a frame that is not a JSON object')
}

function toRefusal(status: number, body: string): RoomClosed {
  const isBusy = status === 429
  try {
    const { error } = parseJson(body) as { error: { code: unknown; message: unknown } }
    const code = typeof error.code === 'string' ? { code: error.code } : {}
    if (typeof error.message === 'string')
      return { reason: error.message, ...code, status, canRetry: isBusy, isFinal: false }
  } catch {}
  const canRetry = isBusy || status >= 500
  return { reason: `the service responded with ${status}`, status, canRetry, isFinal: false }
}
