import { fine, lost, silent, unreachable, unsent, unsentForGood } from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import {
  answer,
  anything,
  end,
  handshake,
  head,
  repeat,
  request,
  reset,
  type Script,
  send,
  stall,
} from '../script.ts'
import { authority } from './tls.ts'

const secure = handshake(authority.issue({ host: 'meet.test' }))
const established = send('HTTP/1.1 200 Connection established\r\n\r\n')

/** Faults before the tunnel and its TLS are set up, so that nothing reaches the service. */
const refusing: readonly (readonly [name: string, does: Script, says?: string])[] = [
  ['closes the connection immediately', [end], 'closed the connection'],
  ['resets the connection immediately', [reset], 'closed the connection'],
  ['closes the connection after the request for a tunnel', [head, end], 'closed the connection'],
  ['resets the connection after the request for a tunnel', [head, reset], 'closed the connection'],
  [
    'closes the connection within its response',
    [head, send('HTTP/1.1 200 Conn'), end],
    'closed the connection',
  ],
  ['speaks another protocol', [head, send('220 mail.test ESMTP\r\n'), end], 'does not respond as a proxy'],
  ['responds with zeros', [head, send(new Uint8Array(64)), end], 'does not respond as a proxy'],
  ['responds with a header of 100 KB', [head, send(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1e5)}\r\n\r\n`)]],
  [
    'responds with headers that never end',
    [head, send('HTTP/1.1 200 OK\r\n'), repeat('x: y\r\n'.repeat(100))],
  ],
  ['requires a password', [head, answer(407, 'who?'), end], '407: it requires a user name and password'],
  ...[301, 400, 403, 404, 429, 500, 502, 503, 504].map(
    (status) => [`responds with ${status}`, [head, answer(status, 'no'), end], `(${status})`] as const,
  ),
  ['opens a tunnel and closes it', [head, established, end]],
  ['opens a tunnel and resets it', [head, established, reset]],
  ['opens a tunnel and closes it in the TLS handshake', [head, established, anything, end]],
  ['opens a tunnel and resets it in the TLS handshake', [head, established, anything, reset]],
]

const stalling: readonly (readonly [name: string, does: Script])[] = [
  ['sends nothing', [stall]],
  ['stalls after the request for a tunnel', [head, stall]],
  ['stalls within the response', [head, send('HTTP/1.1 200 Conn'), stall]],
  ['opens a tunnel and stalls in it', [head, established, stall]],
  ['opens a tunnel and stalls in the TLS handshake', [head, established, anything, stall]],
]

export const proxies: readonly Fault[] = [
  {
    name: 'is behind a proxy that is not running',
    over: 'closed proxy',
    does: [],
    expect: unreachable,
    says: 'cannot be reached: connection refused',
  },
  ...refusing.map(
    ([name, does, says]): Fault => ({
      name: `is behind a proxy that ${name}`,
      over: 'proxy',
      does,
      expect: unsent,
      ...(says !== undefined && { says }),
    }),
  ),
  ...stalling.map(
    ([name, does]): Fault => ({
      name: `is behind a proxy that ${name}`,
      over: 'proxy',
      does,
      expect: unsentForGood,
      says: 'no connection yet (through the proxy ',
      stalls: true,
    }),
  ),
  {
    name: 'speaks plain HTTP behind a proxy',
    over: 'proxy',
    does: [head, established, anything, answer(400, 'TLS?'), end],
    expect: unsentForGood,
  },
  {
    name: 'has a self-signed certificate, behind a proxy',
    over: 'proxy',
    does: [head, established, handshake(authority.selfSigned('meet.test')), request, stall],
    expect: unsentForGood,
    says: 'the certificate is self-signed',
  },
  {
    name: 'has a certificate for another host, behind a proxy',
    over: 'proxy',
    trusted: true,
    does: [head, established, handshake(authority.issue()), request, stall],
    expect: unsentForGood,
    says: 'another host',
  },
  {
    name: 'responds behind a proxy',
    over: 'proxy',
    trusted: true,
    does: [head, established, secure, request, answer(200, good)],
    expect: fine,
  },
  {
    name: 'resets the connection after the request, behind a proxy',
    over: 'proxy',
    trusted: true,
    does: [head, established, secure, request, reset],
    expect: lost,
    says: '(through the proxy ',
  },
  {
    name: 'stalls after the request, behind a proxy',
    over: 'proxy',
    trusted: true,
    does: [head, established, secure, request, stall],
    expect: silent,
    says: 'no response',
    stalls: true,
  },
]
