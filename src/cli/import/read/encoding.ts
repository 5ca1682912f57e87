export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

const byteOrderMarks: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

export function detectEncoding(bytes: Buffer): Encoding | undefined {
  return byteOrderMarks.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0]
}

/** @throws {TypeError} for invalid UTF-16 */
export async function* toUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: Exclude<Encoding, 'utf-8'>,
): AsyncGenerator<Buffer> {
  if (encoding === 'windows-1252') {
    for await (const chunk of chunks) yield Buffer.from(decodeWindows1252(chunk))
    return
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Characters 0x80 to 0x9F of windows-1252, where Latin-1 has control characters. */
const windows1252Characters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Replaces TextDecoder, which decodes windows-1252 as Latin-1 in some Node versions. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(
      /[\x80-\x9f]/g,
      (character) => windows1252Characters[character.charCodeAt(0) - 0x80] ?? character,
    )
}
