/** What undici does with the parts of an answer, as its parser in WebAssembly finds them. Returns −1 to stop. */
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
const headerLine = /^([\w!#$%&'*+.^`|~-]+): ?([!-~](?:[ -~]*[!-~])?)$/
/** Headers that change how the rest is read. `connection` may say what is so anyway. */
const special = /^(?:transfer-encoding|upgrade|proxy-connection|trailer)$/
/** Answers to anything but HEAD that have no body, whatever their headers say. */
const bodiless = new Set(['204', '304'])
const endOfHead = '\r\n\r\n'
const mostHead = 8192

/**
 * Hands over an answer that a chunk holds from its first byte to its last, and that can be read in one way only. To compile a
 * whole parser takes longer than such an answer; it is asked about everything else.
 * @returns whether it was handed over; otherwise nothing of it was
 */
export function passPlain(chunk: Buffer, to: Receiver): boolean {
  const end = chunk.subarray(0, mostHead).indexOf(endOfHead)
  if (end < 0) return false
  const [first = '', ...lines] = chunk.toString('latin1', 0, end).split('\r\n')
  const [, status = ''] = statusLine.exec(first) ?? []
  if (!status || bodiless.has(status)) return false
  const parts: Buffer[] = []
  let length: number | undefined
  let at = first.length + 2
  for (const line of lines) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? []
    const key = name.toLowerCase()
    if (!name || special.test(key) || (key === 'connection' && value.toLowerCase() !== 'keep-alive'))
      return false
    if (key === 'content-length') {
      if (length !== undefined || !/^\d{1,9}$/.test(value)) return false
      length = Number(value)
    }
    const lineEnd = at + line.length
    parts.push(chunk.subarray(at, at + name.length), chunk.subarray(lineEnd - value.length, lineEnd))
    at = lineEnd + 2
  }
  const body = chunk.subarray(end + endOfHead.length)
  if (length !== body.length) return false

  if (to.onMessageBegin() < 0) return true
  to.onStatus(chunk.subarray('HTTP/1.1 200 '.length, first.length))
  for (const [i, part] of parts.entries())
    if (i % 2 === 0) to.onHeaderField(part)
    else to.onHeaderValue(part)
  if (to.onHeadersComplete(Number(status), false, true) < 0) return true
  if (body.length > 0 && to.onBody(body) < 0) return true
  to.onMessageComplete()
  return true
}
