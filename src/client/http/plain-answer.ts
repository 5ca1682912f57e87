/** Callbacks of undici's parser. A callback that returns -1 stops the parser. */
export interface Receiver {
  onMessageBegin(): number
  onStatus(text: Buffer): number
  onHeaderField(name: Buffer): number
  onHeaderValue(value: Buffer): number
  onHeadersComplete(status: number, isUpgrade: boolean, isKeptAlive: boolean): number
  onBody(body: Buffer): number
  onMessageComplete(): number
}

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d) [!-~][ -~]*$/
const headerLine = /^[\w!#$%&'*+.^`|~-]+: ?[!-~](?:[ -~]*[!-~])?$/
/** Headers that require undici's parser. */
const special = /^(?:transfer-encoding|upgrade|proxy-connection|trailer|connection(?!: ?keep-alive$)):/i
const lengthLine = /^content-length:/i
const plainLength = /^[^:]*: ?(\d{1,9})$/
/** Statuses of responses that never have a body. */
const bodiless = new Set(['204', '304'])
const endOfHead = '\r\n\r\n'
const maxHeadLength = 8192

/**
 * Parses a response that arrives in one chunk. This is faster than compiling undici's WebAssembly parser.
 * @returns false when undici's parser must parse the chunk
 */
export function parsePlainResponse(chunk: Buffer, to: Receiver): boolean {
  const end = chunk.subarray(0, maxHeadLength).indexOf(endOfHead)
  if (end < 0) return false
  const lines = chunk.toString('latin1', 0, end).split('\r\n')
  const [first = ''] = lines
  const status = statusLine.exec(first)?.[1]
  const bodyAt = end + endOfHead.length
  if (!status || bodiless.has(status) || parseContentLength(lines) !== chunk.length - bodyAt) return false

  if (to.onMessageBegin() < 0) return true
  to.onStatus(chunk.subarray('HTTP/1.1 200 '.length, first.length))
  let at = first.length + 2
  for (let i = 1; i < lines.length; i++) {
    const { length } = lines[i] ?? ''
    const colon = chunk.indexOf(':', at)
    to.onHeaderField(chunk.subarray(at, colon))
    to.onHeaderValue(chunk.subarray(chunk[colon + 1] === blank ? colon + 2 : colon + 1, at + length))
    at += length + 2
  }
  if (to.onHeadersComplete(Number(status), false, true) < 0) return true
  if (bodyAt < chunk.length && to.onBody(chunk.subarray(bodyAt)) < 0) return true
  to.onMessageComplete()
  return true
}

const blank = 0x20

/** Returns the content length; undefined when undici's parser must parse the headers. */
function parseContentLength(lines: readonly string[]): number | undefined {
  let length: number | undefined
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (!headerLine.test(line) || special.test(line)) return undefined
    if (!lengthLine.test(line)) continue
    const digits = plainLength.exec(line)?.[1]
    if (length !== undefined || digits === undefined) return undefined
    length = Number(digits)
  }
  return length
}
