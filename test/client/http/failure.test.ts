import { describe, expect, test } from 'vitest'
import { createProxyError, toTransportError } from '../../../src/client/http/failure.ts'

const progress = { maybeSent: false, aborted: false }

const withCode = (code: string) => Object.assign(new Error(`${code} with a secret header`), { code })

describe('a failed connection', () => {
  test.each([
    ['ECONNREFUSED', 'connection refused', true],
    ['ECONNRESET', 'the connection was reset', true],
    ['ENOTFOUND', 'the host name cannot be resolved', true],
    ['EAI_AGAIN', 'the host name cannot be resolved at the moment', true],
    ['EHOSTUNREACH', 'the host is unreachable', true],
    ['ENETUNREACH', 'the network is unreachable', true],
    ['EMFILE', 'too many open files; raise the limit with: ulimit -n 4096', true],
    ['ENFILE', 'the system has too many open files', true],
    ['ETIMEDOUT', 'the connection timed out', true],
    ['UND_ERR_SOCKET', 'the connection was closed before the response was complete', true],
    ['CERT_HAS_EXPIRED', 'the certificate has expired', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate cannot be verified', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'the service does not speak TLS on this port', false],
    ['EPROTO', 'the TLS handshake failed', false],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'the TLS connection failed', false],
    ['ESOMETHING', 'the connection failed (ESOMETHING)', true],
    // The first code means that the client was closed. Unknown codes allow a retry.
    ['UND_ERR_DESTROYED', 'the connection failed (UND_ERR_DESTROYED)', false],
    ['UND_ERR_DESTROYED_LATER', 'the connection failed (UND_ERR_DESTROYED_LATER)', true],
  ])('toTransportError maps %s to “%s” (retryable: %s)', (code, message, transient) => {
    expect(toTransportError(withCode(code), progress)).toMatchObject({
      message,
      transient,
      maybeSent: false,
    })
  })

  test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'])(
    'toTransportError explains how to trust the certificate for %s',
    (code) => {
      expect(toTransportError(withCode(code), progress)).toMatchObject({
        message: expect.stringMatching(/is self-signed; to trust it, point NODE_EXTRA_CA_CERTS at a file/),
        transient: false,
      })
    },
  )

  test('toTransportError uses the first error of an AggregateError', () => {
    const error = new AggregateError([withCode('ECONNREFUSED'), withCode('ETIMEDOUT')])
    expect(toTransportError(error, progress).message).toBe('connection refused')
  })

  test('toTransportError maps a thrown string to an unknown connection failure', () => {
    expect(toTransportError('text', progress).message).toBe('the connection failed (unknown)')
  })

  test('createProxyError names the proxy in its message', () => {
    expect(createProxyError(withCode('ECONNREFUSED'), 'p:1').message).toBe(
      'the proxy p:1 cannot be reached: connection refused',
    )
    expect(createProxyError(withCode('ECONNRESET'), 'p:1').message).toBe(
      'the proxy p:1 closed the connection',
    )
    expect(createProxyError(withCode('HPE_INVALID_CONSTANT'), 'p:1').message).toBe(
      'the proxy p:1 does not respond as a proxy',
    )
  })
})
