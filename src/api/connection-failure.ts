/** Code of a reset connection, because undici may treat ECONNRESET as the end of a body. */
export const resetCode = 'RESET'

export const closedCode = 'CLOSED'

export const createClosedError = () => Object.assign(new Error('closed'), { code: closedCode })

/** Code of a connection that a program other than the embedded service may have accepted. */
const notServedCode = 'ENOTSERVED'

export const createNotServedError = () =>
  Object.assign(new Error('no process serves the local workspace at this base URL'), { code: notServedCode })

/** Code for a response that is not TLS, such as plain HTTP. */
export const noTlsCode = 'ERR_SSL_WRONG_VERSION_NUMBER'

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  [resetCode]: 'the connection was reset',
  [notServedCode]: 'no process serves the local workspace at this base URL',
  [closedCode]: 'the connection was closed before the response was complete',
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  EMFILE: 'too many open files; raise the limit with: ulimit -n 4096',
  ENFILE: 'the system has too many open files',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed before the response was complete',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate is self-signed; to trust it, point NODE_EXTRA_CA_CERTS at a file with the CA certificate',
  SELF_SIGNED_CERT_IN_CHAIN:
    'the certificate chain is self-signed; to trust it, point NODE_EXTRA_CA_CERTS at a file with the CA certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown authority',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  [noTlsCode]: 'the service does not speak TLS on this port',
  EPROTO: 'the TLS handshake failed',
}

export function isProtocolError(code: string): boolean {
  return /^(HPE|WS_ERR)_|^HTTPParserError$/.test(code)
}

export function describeReason(code: string): string {
  if (isProtocolError(code)) return 'the response violates the HTTP protocol'
  if (/^ERR_(SSL|TLS)_/.test(code)) return reasons[code] ?? 'the TLS connection failed'
  return reasons[code] ?? `the connection failed (${code})`
}

export function readErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  if (error instanceof AggregateError) return readErrorCode(error.errors[0])
  return error.cause ? readErrorCode(error.cause) : error.name
}
