import { gzipSync } from 'node:zlib'

/** Faulty behavior of a server on a POST request. */
export interface Misbehavior {
  /** True if the server executes the request first. */
  acts: boolean
  /**
   * Information in the response. `busy`: nothing was done, retry; `refused`: nothing was done; `accepted`:
   * something was done, without an ID; `nothing`: no information.
   */
  tells: 'busy' | 'refused' | 'accepted' | 'nothing'
  /** Bytes of the response. The server then closes the connection. */
  bytes: string | Uint8Array
  /** True if the connection is reset instead of closed. */
  resets?: true
}

const whole = (status: number, body: string, type = 'application/json', more = '') =>
  `HTTP/1.1 ${status} Whatever\r\ncontent-type: ${type}\r\n${more}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
const json = '{"message":"no"}'
const html = '<h1>No</h1>'
const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n'
const gzip = gzipSync('{"room":{"id":"0"}}').subarray(0, 15)

/** Responses of a server that has done nothing. */
const clear: Record<string, Misbehavior> = {
  'responds with 429': { acts: false, tells: 'busy', bytes: whole(429, json) },
  'responds with 503 with Retry-After': {
    acts: false,
    tells: 'busy',
    bytes: whole(503, html, 'text/html', 'retry-after: 1\r\n'),
  },
  'responds with 422': { acts: false, tells: 'refused', bytes: whole(422, json) },
  'responds with 500 and JSON': { acts: false, tells: 'refused', bytes: whole(500, json) },
  'responds with 500 and a page': { acts: false, tells: 'nothing', bytes: whole(500, html, 'text/html') },
}

/** Responses that a server sends whether or not it has acted. */
const ambiguous: Record<string, Pick<Misbehavior, 'bytes' | 'resets'>> = {
  'resets the connection': { bytes: '', resets: true },
  'closes the connection': { bytes: '' },
  'closes within the status line': { bytes: 'HTTP/1.1 20' },
  'closes within the headers': { bytes: ok },
  'closes within the body': { bytes: `${ok}content-length: 100\r\n\r\n{"room":{"id":"` },
  'resets within the body': { bytes: `${ok}content-length: 100\r\n\r\n{"room":`, resets: true },
  'closes within a chunk': { bytes: `${ok}transfer-encoding: chunked\r\n\r\n64\r\n{"room":` },
  'responds with 502': { bytes: whole(502, html, 'text/html') },
  'responds with 503': { bytes: whole(503, html, 'text/html') },
  'responds with 504': { bytes: whole(504, json) },
  'responds with 524': { bytes: whole(524, html, 'text/html') },
  'responds with bytes that are not HTTP': { bytes: '220 mail.test ESMTP ready\r\n' },
}

/** Successes without an item, which only a server that has acted sends. */
const acknowledging: Record<string, Pick<Misbehavior, 'bytes'>> = {
  'responds with 200 without a body': { bytes: whole(200, '') },
  'responds with 204': { bytes: 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n' },
  'responds with 200 without an item': { bytes: whole(200, '{"ok":true}') },
}

/** Successes that prove nothing. */
const unreadable: Record<string, Pick<Misbehavior, 'bytes'>> = {
  'responds with 200 and a page': { bytes: whole(200, html, 'text/html') },
  'responds with 200 and half of the JSON': { bytes: `${ok}\r\n{"room":{"id":"` },
  'responds with 200 and damaged compression': {
    bytes: Buffer.concat([
      Buffer.from(`${ok}content-encoding: gzip\r\ncontent-length: ${gzip.length}\r\n\r\n`),
      gzip,
    ]),
  },
}

const having = (
  kinds: Record<string, Pick<Misbehavior, 'bytes' | 'resets'>>,
  acts: boolean,
  tells: Misbehavior['tells'],
  when = '',
) =>
  Object.entries(kinds).map(([name, kind]): [string, Misbehavior] => [
    `${name}${when}`,
    { acts, tells, ...kind },
  ])

export const misbehaviors: Readonly<Record<string, Misbehavior>> = {
  ...clear,
  ...Object.fromEntries([
    ...having(ambiguous, false, 'nothing', ' before it acts'),
    ...having(ambiguous, true, 'nothing', ' after it has acted'),
    ...having(unreadable, false, 'nothing', ' before it acts'),
    ...having(unreadable, true, 'nothing', ' after it has acted'),
    ...having(acknowledging, true, 'accepted'),
  ]),
}

/** Key of `misbehaviors`, or `fine`. */
export type Behavior = string
export const fine: Behavior = 'executes the request'
