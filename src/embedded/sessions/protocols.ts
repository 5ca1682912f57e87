import type { IncomingMessage } from 'node:http'
import type { Fault } from '../common/faults.ts'
import { type CloseReason, closeReasons } from './session-control.ts'

/** Subprotocol of a client that shows the room: it receives descriptions of the room, and refusals as close codes. */
export const roomProtocol = 'meetroom.room'

/** Prefix of an access token in base64url. Servers log URLs, but not subprotocols. */
const tokenPrefix = 'access-token.'

export function readProtocols({ headers }: IncomingMessage): readonly string[] {
  return headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? []
}

export function readTokenProtocol(request: IncomingMessage): string | undefined {
  const protocol = readProtocols(request).find((name) => name.startsWith(tokenPrefix))
  return protocol && Buffer.from(protocol.slice(tokenPrefix.length), 'base64url').toString()
}

/** Selects the subprotocol of a session. The one that holds the token is never sent back. */
export function selectProtocol(protocols: ReadonlySet<string>): string | false {
  if (protocols.has(roomProtocol)) return roomProtocol
  const [first] = [...protocols].filter((name) => !name.startsWith(tokenPrefix))
  return first ?? false
}

/** Returns the close code and reason of a refused client. */
export function toCloseReason({ status, code, message }: Fault): CloseReason {
  if (code === 'terminated') return closeReasons.terminated
  if (message === 'blocked') return closeReasons.blocked
  // The client may try again later (IANA's registry of WebSocket close codes).
  return status === 429 || code === 'storage' ? [1013, message] : [4400, message]
}
