import { createServer, IncomingMessage, type ServerOptions } from 'node:http'
import { isWebSocketUpgrade } from '../sessions/upgrade.ts'

/**
 * Returns the options of a server that ignores offers of other protocols than WebSocket, such as HTTP/2
 * (`Upgrade: h2c`), and responds to such a request over HTTP/1.1. Node drops bytes that arrive together with such a
 * request and follow it, so its response must be the last one of the connection.
 */
export function createUpgradeOptions(): ServerOptions {
  const hasCallback = 'shouldUpgradeCallback' in createServer()
  return hasCallback
    ? ({ shouldUpgradeCallback: isWebSocketUpgrade } as ServerOptions)
    : { IncomingMessage: WebSocketUpgradeMessage }
}

/** Message for Node before 24.9, which takes a request out of HTTP if `upgrade` is true after its headers were read. */
class WebSocketUpgradeMessage extends IncomingMessage {
  // Without an initial value, because the constructor of Node sets `upgrade`.
  declare isOffered: boolean | null

  get upgrade(): boolean | null {
    return this.isOffered && (this.method === 'CONNECT' || isWebSocketUpgrade(this))
  }

  set upgrade(value: boolean | null) {
    this.isOffered = value
  }
}
