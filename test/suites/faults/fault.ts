import type { Expected } from './expected.ts'
import type { Script } from './script.ts'

/** Fault of a service, or of a proxy in front of the service. */
export interface Fault {
  /** Predicate of the sentence “the service …”. */
  name: string
  /** Script for each connection. */
  does: Script
  /** Script for the first connection, if it differs. */
  first?: Script
  expect: Expected
  /** Text on standard error, except after a read that succeeds. */
  says?: string | RegExp
  /** Differences if undici sends the requests. */
  undici?: Partial<Pick<Fault, 'expect' | 'says' | 'stalls'>>
  /** Transport to the server, or the reason why the server is unreachable. Default: `http`. */
  over?: 'http' | 'https' | 'proxy' | 'closed port' | 'full port' | 'unknown host' | 'closed proxy'
  /** True if responses take much time. A quick run then uses `rooms list`. */
  isLarge?: true
  /** True if only the deadline ends the command. */
  stalls?: true
  /** True if the client trusts the certificate authority. */
  trusted?: true
  /** True if the server accepts the probe of the key. */
  knowsKey?: true
}

/** Key that commands send and that no output may contain. */
export const key = 'secret-key-0123456789'

const id = '66f1a2b3c4d5e6f708192a3b'
const room = { id, type: 'open', name: 'Weekly sync', created_at: '2026-01-02T03:04:05.678Z' }
/** Response body that is valid for every command. */
export const good = JSON.stringify({ rooms: [room], room, paging: { limit: 30, offset: 0, total: 1 } })
