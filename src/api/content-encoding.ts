import { errorCode } from './failure.ts'
import { maxBodyBytes, tooLarge, type WireResponse } from './wire.ts'

/** An answer with its body decoded, or why it cannot be. */
export async function decoded(answer: WireResponse, encoding: string): Promise<WireResponse> {
  const zlib = await import('node:zlib')
  const decoders = new Map([
    ['gzip', zlib.gunzip],
    ['x-gzip', zlib.gunzip],
    ['deflate', zlib.inflate],
    ['br', zlib.brotliDecompress],
  ])
  const unreadable = (why: string) => ({ ...answer, body: new Uint8Array(), unreadable: why })
  const decode = decoders.get(encoding.trim().toLowerCase())
  if (!decode) return unreadable(`the content encoding ${encoding}, is not known`)
  return new Promise((resolve) => {
    decode(answer.body, { maxOutputLength: maxBodyBytes }, (error, body) => {
      if (!error) return resolve({ ...answer, body })
      const isTooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      resolve(unreadable(isTooLarge ? tooLarge : 'its compression is damaged'))
    })
  })
}
