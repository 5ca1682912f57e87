import { maxErrorBytes, type Transport, type WireResponse } from '../../../api/wire.ts'
import type { Redact } from './create-redactor.ts'

/** Number of characters dropped from a large body, so that no part of a key remains. */
const margin = 32 * 1024

/**
 * Removes keys from error bodies, and from all headers except those of JSON results, before other code
 * truncates them, because part of a key would not be recognized.
 */
export function redactResponses(transport: Transport, redact: Redact): Transport {
  const clean = (response: WireResponse) => {
    const { status, headers, body } = response
    const isResult = status >= 200 && status < 300
    if (isResult && headers['content-type']?.startsWith('application/json')) return response
    return {
      ...response,
      headers: redactHeaders(headers, redact),
      body: isResult ? body : redactBody(body, redact),
    }
  }
  return (request, signal, cancelUnsent) => transport(request, signal, cancelUnsent).then(clean)
}

function redactHeaders(headers: WireResponse['headers'], redact: Redact): WireResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

function redactBody(body: Uint8Array, redact: Redact): Uint8Array {
  const isCut = body.length > maxErrorBytes + margin
  const text = new TextDecoder().decode(isCut ? body.subarray(0, maxErrorBytes + margin) : body)
  const clean = isCut ? redact(text).slice(0, -margin) : redact(text)
  return clean === text ? body : new TextEncoder().encode(clean)
}
