import { certificateAuthority } from '../../../helpers/certificate.ts'
import { cutOff, fine, lost, lostForGood, silent, unsent, unsentForGood } from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import {
  answer,
  anything,
  end,
  endRaw,
  handshake,
  repeat,
  request,
  reset,
  type Script,
  type Step,
  send,
  sendRaw,
  stall,
} from '../script.ts'

/** Authority of the certificates that clients with `trusted` accept. */
export const authority = certificateAuthority()

const trusted = handshake(authority.issue())
/** Beginning of a ServerHello. */
const halfHello = new Uint8Array([0x16, 3, 3, 0, 0x7a, 2, 0, 0, 0x76, 3, 3, 1, 2, 3])
const alert = (what: number) => new Uint8Array([0x15, 3, 3, 0, 2, 2, what])
const garbage = new Uint8Array(64).fill(0xaa)

const handshakes: readonly Fault[] = (
  [
    ['stalls before TLS', [stall], 'stalls'],
    ['stalls in the handshake', [anything, stall], 'stalls'],
    ['stalls within its part of the handshake', [anything, send(halfHello), stall], 'stalls'],
    ['closes the connection before TLS', [end], unsent],
    ['closes the connection in the handshake', [anything, end], unsent],
    ['closes the connection within its part of the handshake', [anything, send(halfHello), end], unsent],
    ['resets the connection in the handshake', [anything, reset], unsent],
    ['ends the handshake with an alert', [anything, send(alert(40)), end], unsentForGood],
    ['speaks another version of TLS', [anything, send(alert(70)), end], unsentForGood],
    ['speaks plain HTTP', [anything, answer(400, 'TLS?'), end], unsentForGood],
    ['responds to the handshake with garbage', [anything, send(garbage), end], unsentForGood],
    [
      'has a self-signed certificate',
      [handshake(authority.selfSigned()), request, answer(200, good)],
      unsentForGood,
    ],
    ['has a certificate of an unknown authority', [trusted, request, answer(200, good)], unsentForGood],
  ] as const satisfies readonly (readonly [string, Script, unknown])[]
).map(
  ([name, does, expect]): Fault =>
    expect === 'stalls'
      ? { name, over: 'https', does, expect: { ...unsentForGood }, stalls: true, says: 'no connection yet' }
      : { name, over: 'https', does, expect },
)

/** Faults of certificates from a trusted authority. */
const certificates: readonly Fault[] = (
  [
    [
      'has a certificate that has expired',
      authority.issue({ days: [-9, -2] }),
      'the certificate has expired',
    ],
    ['has a certificate that is not valid yet', authority.issue({ days: [2, 9] }), 'not valid yet'],
    ['has a certificate for another host', authority.issue({ host: 'elsewhere.test' }), 'another host'],
    ['has a certificate for another address', authority.issue({ host: '127.0.0.2' }), 'another host'],
  ] as const
).map(
  ([name, certificate, says]): Fault => ({
    name,
    over: 'https',
    trusted: true,
    does: [handshake(certificate), request, answer(200, good)],
    expect: unsentForGood,
    says,
  }),
)

const secured: readonly Fault[] = (
  [
    ['responds over TLS', [request, answer(200, good)], fine],
    ['closes the secure connection after the request', [request, end], lost],
    ['resets the secure connection after the request', [request, reset], lost],
    ['closes the TCP connection without a TLS close after half of the body', [request, half, endRaw], lost],
    ['sends garbage past TLS after the request', [request, sendRaw(garbage), stall], lostForGood],
    ['sends an alert past TLS after the request', [request, sendRaw(alert(40)), stall], lostForGood],
  ] as const satisfies readonly (readonly [string, Script, unknown])[]
).map(
  ([name, does, expect]): Fault => ({ name, over: 'https', trusted: true, does: [trusted, ...does], expect }),
)

function half(line: Parameters<Step>[0]): Promise<void> {
  return line.send(`HTTP/1.1 200 OK\r\ncontent-length: ${good.length}\r\n\r\n${good.slice(0, 20)}`)
}

export const tls: readonly Fault[] = [
  ...handshakes,
  ...certificates,
  ...secured,
  {
    name: 'sends an endless body, and resets the next connection',
    over: 'https',
    trusted: true,
    first: [trusted, request, send('HTTP/1.1 200 OK\r\n\r\n'), repeat(' '.repeat(2 ** 16))],
    does: [reset],
    expect: cutOff,
    says: 'it is larger than 64 MB',
  },
  {
    name: 'stalls over TLS after the request',
    over: 'https',
    trusted: true,
    does: [trusted, request, stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'closes the TCP connection without a TLS close after half of a body without length',
    over: 'https',
    trusted: true,
    does: [trusted, request, send('HTTP/1.1 200 OK\r\n\r\n', good.slice(0, 20)), endRaw],
    expect: lost,
  },
]
