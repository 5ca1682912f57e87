import type { Expected } from './expected.ts'
import type { Script } from './script.ts'

/** A way in which a service, or what is in front of it, can fail. */
export interface Fault {
  /** What happens: the end of “a service that …”. */
  name: string
  /** What the server does with each connection. */
  does: Script
  /** What it does with the first connection instead. */
  first?: Script
  /** The exit code, and the requests and connections that the server sees. */
  expect: Expected
  /** Part of the error, or of the warning of a command that succeeds. */
  says?: string | RegExp
  /** What differs if undici sends the requests. */
  undici?: Partial<Pick<Fault, 'expect' | 'says' | 'stalls'>>
  /** How commands reach the server, or why they do not; over HTTP unless it is said. */
  over?: 'http' | 'https' | 'proxy' | 'closed port' | 'full port' | 'unknown host' | 'closed proxy'
  /** Only the deadline ends it. */
  stalls?: true
  /** The client trusts the authority of the certificates. */
  trusted?: true
  /** It answers the question whether the key works. */
  knowsKey?: true
}

/** The key that commands send; nothing that they print may hold it. */
export const key = 'secret-key-0123456789'

const id = '66f1a2b3c4d5e6f708192a3b'
const room = { id, type: 'open', name: 'Weekly sync', created_at: '2026-01-02T03:04:05.678Z' }
/** A body that answers every command. */
export const good = JSON.stringify({ rooms: [room], room, paging: { limit: 30, offset: 0, total: 1 } })
