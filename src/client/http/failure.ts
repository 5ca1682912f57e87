import { describeReason, isProtocolError, readErrorCode } from '../../api/connection-failure.ts'
import { TransportError } from '../../api/wire.ts'
import { ServiceError } from '../../errors.ts'

const headerOverflows: ReadonlySet<string> = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW'])

interface Progress {
  maybeSent: boolean
  aborted: boolean
  proxy?: string | undefined
}

/** Creates an error without the HTTP library's message, which may quote headers with the key. */
export function toTransportError(error: unknown, { maybeSent, aborted, proxy }: Progress): Error {
  const via = proxy ? ` (through the proxy ${proxy})` : ''
  if (aborted)
    return new TransportError(
      `no ${maybeSent ? 'response' : 'connection'} yet${via}`,
      maybeSent,
      false,
      error,
    )
  if (error instanceof TransportError) return error
  const code = readErrorCode(error)
  if (headerOverflows.has(code))
    return new ServiceError('the service’s response cannot be read: its headers are too large')
  if (isProtocolError(code)) return new ServiceError('the service’s response cannot be read: it is not HTTP')
  // Before the request is sent, a TLS error belongs to the handshake.
  const reason =
    maybeSent && code.startsWith('ERR_SSL_') ? 'the TLS connection was lost' : describeReason(code)
  return new TransportError(`${reason}${via}`, maybeSent, isTransient(code))
}

/** Creates the error for a failed proxy, in which case the service received nothing. */
export function createProxyError(error: unknown, proxy: string): TransportError {
  const code = readErrorCode(error)
  const what = isProtocolError(code)
    ? 'does not respond as a proxy'
    : code === 'ECONNRESET'
      ? 'closed the connection'
      : `cannot be reached: ${describeReason(code)}`
  return new TransportError(`the proxy ${proxy} ${what}`, false, isTransient(code))
}

/** Returns false for known TLS errors, and after `close`. A retry may resolve any other error. */
function isTransient(code: string): boolean {
  return !/CERT|TLS|SSL|SIGNATURE|EPROTO|^UND_ERR_DESTROYED$|^UND_ERR_CLOSED$|^ABORT_ERR$/.test(code)
}
