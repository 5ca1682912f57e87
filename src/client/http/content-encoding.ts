import { maxBodyBytes, tooLarge, type WireResponse } from '../../api/wire.ts'
import { errorCode } from './failure.ts'

type Zlib = typeof import('node:zlib')
type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Decodes the body of a response, or records why it is unreadable. */
export async function decodeBody(answer: WireResponse, encoding: string): Promise<WireResponse> {
  const decoders = parseDecoders(await import('node:zlib'))
  const unreadable = (why: string) => ({ ...answer, body: new Uint8Array(), unreadable: why })
  let body = answer.body
  for (const coding of encoding.split(',').reverse()) {
    const name = coding.trim().toLowerCase()
    if (name === 'identity' || name === '') continue
    const decode = decoders.get(name)
    if (!decode) return unreadable(`the content encoding ${encoding}, is not known`)
    try {
      body = await decode(body, { maxOutputLength: maxBodyBytes })
    } catch (error) {
      const isTooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      return unreadable(isTooLarge ? tooLarge : 'its compression is damaged')
    }
  }
  return { ...answer, body }
}

function parseDecoders(zlib: Zlib): ReadonlyMap<string, Decode> {
  const asked =
    (decode: typeof zlib.gunzip): Decode =>
    (body, options) =>
      new Promise((resolve, reject) => {
        decode(body, options, (error, decoded) => (error ? reject(error) : resolve(decoded)))
      })
  const gunzip = asked(zlib.gunzip)
  // Some servers send deflate without the zlib header, whose first byte names method 8.
  const inflate: Decode = (body, options) =>
    asked(((body[0] ?? 8) & 15) === 8 ? zlib.inflate : zlib.inflateRaw)(body, options)
  return new Map([
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', inflate],
    ['br', asked(zlib.brotliDecompress)],
  ])
}
