import { UsageError } from '../../../errors.ts'

const usual = [',', ';', '\t'] as const

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** Maximum length of a header, in bytes; longer ones are cut for the detection. */
const mostHeader = 1024 * 1024

export function delimiterOf(text: string): string {
  const character = /^(tab|\\t)$/i.test(text) ? '\t' : text
  if (character === '\t' || /^[^\w"\p{C}\p{Zl}\p{Zp}]$/u.test(character)) return character
  throw new UsageError(`--delimiter takes one character, or tab, not “${text}”`)
}

export interface Dialect {
  delimiter: string
  /** Number of lines before the header: Excel writes `sep=;`. */
  skipped: number
  bytes: AsyncIterable<Buffer>
}

/** Detects the delimiter from a `sep=` line, or else from the header's most frequent candidate. */
export async function dialectOf(input: AsyncIterable<Buffer>, given: string | undefined): Promise<Dialect> {
  const chunks = input[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  let done = false
  while (!done && head.length < mostHeader && endOfHeader(head) < 0) {
    const next = await chunks.next()
    if (next.done) done = true
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  const told = /^"?sep=([^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(head.toString('latin1', start, start + 16))
  const header = head.toString('latin1', start, Math.max(endOfHeader(head), 0) || head.length)
  const rest = told ? head.subarray(start + told[0].length) : head
  async function* bytes() {
    if (rest.length > 0) yield rest
    if (!done) yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return {
    delimiter: given ?? told?.[1] ?? mostFrequent(header),
    skipped: told ? 1 : 0,
    bytes: bytes(),
  }
}

/** Finds the end of the first non-empty line, ignoring line breaks in quotes; -1 if incomplete. */
function endOfHeader(head: Buffer): number {
  let inQuotes = false
  let isBlank = true
  for (let at = 0; at < head.length; at++) {
    const byte = head[at]
    if (byte === quote) inQuotes = !inQuotes
    if (byte !== lineFeed && byte !== carriageReturn) isBlank = false
    else if (!inQuotes && !isBlank) return at
  }
  return -1
}

function mostFrequent(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '')
  const counts = usual.map((delimiter) => bare.split(delimiter).length)
  return usual[counts.indexOf(Math.max(...counts))] ?? ','
}
