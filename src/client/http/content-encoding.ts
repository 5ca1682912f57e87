import { promisify } from 'node:util'
import { readErrorCode } from '../../api/connection-failure.ts'
import { maxBodyBytes, tooLarge, type WireResponse } from '../../api/wire.ts'

type Zlib = typeof import('node:zlib')
type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Maximum number of nested content encodings. Servers use one, and some proxies add another. */
const maxCodings = 2

/** Decodes a body. After a failure, `unreadable` contains the reason. */
export async function decodeBody(response: WireResponse, encoding: string): Promise<WireResponse> {
  const decoders = createDecoders(await import('node:zlib'))
  const unreadable = (why: string) => ({ ...response, body: new Uint8Array(), unreadable: why })
  let body = response.body
  const names = encoding.split(',').map((coding) => coding.trim().toLowerCase())
  const codings = names.filter((name) => name !== 'identity' && name !== '')
  if (codings.length > maxCodings) return unreadable(`it has ${codings.length} content encodings`)
  for (const name of codings.reverse()) {
    const decode = decoders.get(name)
    // The message does not quote the name, because the name may contain the key.
    if (!decode) return unreadable('its content encoding is unknown')
    try {
      body = await decode(body, { maxOutputLength: maxBodyBytes })
    } catch (error) {
      const isTooLarge = readErrorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      return unreadable(isTooLarge ? tooLarge : 'its compressed data is damaged')
    }
  }
  return { ...response, body }
}

function createDecoders(zlib: Zlib): ReadonlyMap<string, Decode> {
  const gunzip: Decode = promisify(zlib.gunzip)
  // Some servers send deflate without the zlib header, whose first byte ends with the bits 1000.
  const inflate: Decode = (body, options) =>
    promisify(((body[0] ?? 8) & 15) === 8 ? zlib.inflate : zlib.inflateRaw)(body, options)
  return new Map([
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', inflate],
    ['br', promisify(zlib.brotliDecompress)],
  ])
}
