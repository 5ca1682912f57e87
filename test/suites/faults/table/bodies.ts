import { brotliCompressSync, gzipSync } from 'node:zlib'
import { acknowledged, cutOff, fine, lost, notHttp, silent, unproven } from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import { answer, drip, end, repeat, request, reset, type Step, send, stall } from '../script.ts'

const half = good.slice(0, good.length / 2)
const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const sized = (length: number) => `${ok}content-length: ${length}\r\n\r\n`
const unsized = `${ok}\r\n`
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const tooLarge = 'it is larger than 64 MB'

/** 100 MB of zeros, compressed to 100 KB on first use. */
let bomb: Uint8Array | undefined
const sendBomb: Step = (line) => {
  bomb ??= Buffer.concat(Array(100).fill(gzipSync(new Uint8Array(2 ** 20))))
  return answer(200, bomb, { 'content-encoding': 'gzip' })(line)
}

const kilobytes = ' '.repeat(64 * 1024)

/** Faults in the transfer of the body. */
export const bodies: readonly Fault[] = [
  {
    name: 'closes the connection after the headers',
    does: [request, send(sized(good.length)), end],
    expect: lost,
  },
  {
    name: 'resets the connection after the headers',
    does: [request, send(sized(good.length)), reset],
    expect: lost,
  },
  {
    name: 'stalls after the headers',
    does: [request, send(sized(good.length)), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'closes the connection after half of the body',
    does: [request, send(sized(good.length), half), end],
    expect: lost,
  },
  {
    name: 'resets the connection after half of the body',
    does: [request, send(sized(good.length), half), reset],
    expect: lost,
  },
  {
    name: 'stalls after half of the body',
    does: [request, send(sized(good.length), half), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'sends an endless body slowly',
    does: [request, send(sized(1e6)), drip(kilobytes, 1, 20)],
    expect: silent,
    stalls: true,
  },
  { name: 'drips its body', does: [request, send(sized(good.length)), drip(good, 20, 1)], expect: fine },
  {
    name: 'declares a longer length than it sends, and closes',
    does: [request, send(sized(good.length + 1), good), end],
    expect: lost,
  },
  {
    name: 'declares a longer length than it sends, and stalls',
    does: [request, send(sized(good.length + 1), good), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'declares a shorter length than it sends',
    does: [request, send(sized(good.length - 2), good), end],
    expect: unproven,
    says: /it is not (?:HTTP|valid JSON)/,
  },
  { name: 'ends a body without length by closing', does: [request, send(unsized, good), end], expect: fine },
  {
    name: 'closes after half of a body without length',
    does: [request, send(unsized, half), end],
    expect: unproven,
    says: 'it is not valid JSON',
  },
  {
    name: 'resets after half of a body without length',
    does: [request, send(unsized, half), pause, reset],
    expect: lost,
    says: 'the connection was reset',
  },
  {
    name: 'resets after the whole of a body without length',
    does: [request, send(unsized, good), pause, reset],
    expect: lost,
    says: 'the connection was reset',
  },
  {
    name: 'stalls after the whole of a body without length',
    does: [request, send(unsized, good), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'sends a body of 100 MB',
    does: [request, send(sized(100 * 2 ** 20)), repeat(kilobytes, 1600)],
    expect: cutOff,
    says: tooLarge,
  },
  {
    name: 'sends an endless body',
    does: [request, send(unsized), repeat(kilobytes)],
    expect: cutOff,
    says: tooLarge,
  },

  {
    name: 'sends its body in chunks of one byte',
    does: [request, send(chunked, ...[...good].map(chunk), '0\r\n\r\n')],
    expect: fine,
  },
  {
    name: 'adds extensions to its chunks, and trailers',
    does: [request, send(chunked, chunk(good).replace('\r', ';x=y\r'), '0\r\nx: y\r\n\r\n')],
    expect: fine,
  },
  {
    name: 'closes the connection within a chunk',
    does: [request, send(chunked, chunk(good).slice(0, 50)), end],
    expect: lost,
  },
  {
    name: 'resets the connection within a chunk',
    does: [request, send(chunked, chunk(good).slice(0, 50)), reset],
    expect: lost,
  },
  {
    name: 'stalls within a chunk',
    does: [request, send(chunked, chunk(good).slice(0, 50)), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'closes the connection between two chunks',
    does: [request, send(chunked, chunk(half)), end],
    expect: lost,
  },
  {
    name: 'closes the connection instead of sending the last, empty chunk',
    does: [request, send(chunked, chunk(good)), end],
    expect: lost,
  },
  {
    name: 'stalls before the last, empty chunk',
    does: [request, send(chunked, chunk(good)), stall],
    expect: silent,
    stalls: true,
  },
  {
    name: 'sends a chunk whose length is not a number',
    does: [request, send(chunked, `zz\r\n${good}\r\n0\r\n\r\n`)],
    expect: notHttp,
  },
  {
    name: 'sends a chunk of negative length',
    does: [request, send(chunked, `-1\r\n${good}\r\n0\r\n\r\n`)],
    expect: notHttp,
  },
  {
    name: 'sends a chunk whose length exceeds the range of numbers',
    does: [request, send(chunked, `${'f'.repeat(20)}\r\n${good}`)],
    expect: notHttp,
  },
  {
    name: 'sends a chunk longer than its size',
    does: [request, send(chunked, `5\r\n${good}\r\n0\r\n\r\n`)],
    expect: notHttp,
  },
  {
    name: 'sends chunks without end',
    does: [request, send(chunked), repeat(chunk(kilobytes))],
    isLarge: true,
    expect: cutOff,
    says: tooLarge,
  },
  {
    name: 'sends a chunk with an extension without end',
    does: [request, send(chunked, '5;'), repeat(kilobytes.replaceAll(' ', 'x'))],
    expect: notHttp,
    undici: { expect: silent, stalls: true },
  },
  {
    name: 'sends trailers without end',
    does: [request, send(chunked, chunk(good), '0\r\n'), repeat('x: y\r\n'.repeat(100))],
    expect: notHttp,
  },

  {
    name: 'compresses with gzip',
    does: [request, answer(200, gzipSync(good), { 'content-encoding': 'gzip' })],
    expect: fine,
  },
  {
    name: 'compresses with brotli',
    does: [request, answer(200, brotliCompressSync(good), { 'content-encoding': 'br' })],
    expect: fine,
  },
  {
    name: 'declares gzip and sends plain text',
    does: [request, answer(200, good, { 'content-encoding': 'gzip' })],
    expect: unproven,
    says: 'its compressed data is damaged',
  },
  {
    name: 'declares brotli and sends plain text',
    does: [request, answer(200, good, { 'content-encoding': 'br' })],
    expect: unproven,
    says: 'its compressed data is damaged',
  },
  {
    name: 'declares deflate and sends plain text',
    does: [request, answer(200, good, { 'content-encoding': 'deflate' })],
    expect: unproven,
    says: 'its compressed data is damaged',
  },
  {
    name: 'sends half of the gzip stream',
    does: [request, answer(200, gzipSync(good).subarray(0, 60), { 'content-encoding': 'gzip' })],
    expect: unproven,
    says: 'its compressed data is damaged',
  },
  {
    name: 'sends a gzip stream with one byte changed',
    does: [request, answer(200, damaged(gzipSync(good)), { 'content-encoding': 'gzip' })],
    expect: unproven,
    says: 'its compressed data is damaged',
  },
  {
    name: 'compresses in an unrequested encoding',
    does: [request, answer(200, good, { 'content-encoding': 'zstd' })],
    expect: unproven,
    says: 'its content encoding is unknown',
  },
  {
    name: 'compresses twice',
    does: [request, answer(200, gzipSync(gzipSync(good)), { 'content-encoding': 'gzip, gzip' })],
    expect: fine,
  },
  {
    name: 'declares gzip, and sends an empty body',
    does: [request, answer(200, '', { 'content-encoding': 'gzip' })],
    expect: acknowledged,
  },
  {
    name: 'sends 100 KB that decompress to 100 MB',
    does: [request, sendBomb],
    isLarge: true,
    expect: unproven,
    says: tooLarge,
  },
]

function pause(line: Parameters<Step>[0]): Promise<void> {
  return line.pause(250)
}

function damaged(bytes: Buffer): Uint8Array {
  const at = bytes.length >> 1
  return bytes.map((byte, i) => (i === at ? byte ^ 0xff : byte))
}
