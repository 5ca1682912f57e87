import { UsageError } from '../../../errors.ts'

const delimiters = [',', ';', '\t'] as const
/** Delimiter that the detection selects only if the header contains no other candidate. */
const rareDelimiter = '|'

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** Length after which the detection stops reading a header, in bytes. */
const maxHeaderBytes = 1024 * 1024

/**
 * Detects the delimiter unless one is given, and skips a line such as `sep=;`, which Excel reads.
 * @returns `skipped` is the number of skipped lines
 * @throws {UsageError} if the header contradicts the given delimiter
 */
export async function detectDialect(
  input: AsyncIterable<Buffer>,
  givenDelimiter: string | undefined,
  name: string,
) {
  const chunks = input[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  let done = false
  while (!done && head.length < maxHeaderBytes && findHeaderEnd(head) < 0) {
    const next = await chunks.next()
    if (next.done) done = true
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  const separatorLine = /^"?sep=([^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(head.toString('latin1', start, start + 16))
  const header = head.toString('latin1', start, Math.max(findHeaderEnd(head), 0) || head.length)
  const rest = separatorLine ? head.subarray(start + separatorLine[0].length) : head
  async function* bytes() {
    if (rest.length > 0) yield rest
    if (!done) yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const bare = header.replaceAll(/"[^"]*"/g, '')
  const delimiter = separatorLine?.[1] ?? findMostFrequent(bare)
  const given = givenDelimiter && Buffer.from(givenDelimiter).toString('latin1')
  if (given !== undefined && !separatorLine && !bare.includes(given) && bare.includes(delimiter))
    throw new UsageError(
      `${name}: the columns in the header are separated by ${nameOf(delimiter)}, not by ${nameOf(givenDelimiter)}`,
      {
        hint: 'omit --delimiter to use the delimiter of the header',
        lineEdit: { before: 'to use the delimiter of the header: ', omit: ['--delimiter'] },
      },
    )
  return { delimiter: givenDelimiter ?? delimiter, skipped: separatorLine ? 1 : 0, bytes: bytes() }
}

/** Returns the byte offset of the header's end; -1 if there is none. */
function findHeaderEnd(head: Buffer): number {
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

function findMostFrequent(header: string): string {
  const counts = delimiters.map((delimiter) => header.split(delimiter).length)
  const most = Math.max(...counts)
  if (most === 1 && header.includes(rareDelimiter)) return rareDelimiter
  return delimiters[counts.indexOf(most)] ?? ','
}

export const nameOf = (delimiter = '') => (delimiter === '\t' ? 'tabs' : `“${delimiter}”`)
