interface FrameOptions {
  /** Opcode: 0 continues a message, 1 is text, 2 is binary, 8 is a close, 9 is a ping, 10 is a pong. */
  opcode?: number
  payload?: string | Uint8Array
  /** True if the frame ends the message. */
  fin?: boolean
  /** Three reserved bits, as a number. */
  rsv?: number
  masked?: boolean
  /** Declared length, in bytes; that of the payload by default. */
  length?: number | bigint
}

/** Builds a valid or invalid client frame. Masks are zero, so that the payload stays readable. */
export function frame(options: FrameOptions = {}): Buffer {
  const { opcode = 1, payload = '', fin = true, rsv = 0, masked = true } = options
  const bytes = Buffer.from(payload)
  const length = options.length ?? bytes.length
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode]
  const mask = masked ? 0x80 : 0
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(length))
  if (length < 126) head.push(mask | Number(length))
  else if (length < 65536) head.push(mask | 126, ...size.subarray(6))
  else head.push(mask | 127, ...size)
  return Buffer.concat([Buffer.from(head), Buffer.alloc(masked ? 4 : 0), bytes])
}

export const closing = (code: number, reason: string | Uint8Array = ''): Buffer => {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return frame({ opcode: 8, payload: Buffer.concat([payload, Buffer.from(reason)]) })
}

/** Bytes that a participant sends, and the close code of the service. */
export type FrameVector = readonly [name: string, bytes: Uint8Array, code: number]

const text = (hex: string) => frame({ payload: Buffer.from(hex, 'hex') })
const pieces = (count: number, payload: string): Buffer =>
  Buffer.concat([
    frame({ payload, fin: false }),
    ...Array.from({ length: count - 1 }, () => frame({ opcode: 0, payload, fin: false })),
  ])

const protocolError = 1002
const notUtf8 = 1007
const tooLarge = 1009

export const frameGroups: Readonly<Record<string, readonly FrameVector[]>> = {
  'frames that break the protocol': [
    ['a frame without a mask', frame({ payload: 'hello', masked: false }), protocolError],
    ['a ping without a mask', frame({ opcode: 9, masked: false }), protocolError],
    ...[1, 2, 3, 4, 7].map(
      (rsv): FrameVector => [`reserved bits ${rsv.toString(2)}`, frame({ rsv }), protocolError],
    ),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(
      (opcode): FrameVector => [`the reserved opcode ${opcode}`, frame({ opcode }), protocolError],
    ),
    ['a continuation without a first frame', frame({ opcode: 0 }), protocolError],
    ['a message inside another', Buffer.concat([frame({ fin: false }), frame()]), protocolError],
    ['a fragmented ping', frame({ opcode: 9, fin: false }), protocolError],
    ['a fragmented pong', frame({ opcode: 10, fin: false }), protocolError],
    ['a fragmented close', frame({ opcode: 8, fin: false }), protocolError],
    ['a ping of 126 bytes', frame({ opcode: 9, payload: 'x'.repeat(126) }), protocolError],
    ['a close of 126 bytes', closing(1000, 'x'.repeat(124)), protocolError],
    ['a close of one byte', frame({ opcode: 8, payload: '\x03' }), protocolError],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535].map(
      (code): FrameVector => [`a close with the code ${code}`, closing(code), protocolError],
    ),
    ['64 bytes with the value 255', Buffer.alloc(64, 255), protocolError],
    [
      'another HTTP request',
      Buffer.from('POST /v1/users HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      protocolError,
    ],
    ['a TLS handshake', Buffer.from('160301020001000100', 'hex'), protocolError],
  ],
  'text that is not UTF-8': [
    ['a lone byte', text('ff'), notUtf8],
    ['half of a two-byte character', text('c3'), notUtf8],
    ['an overlong slash', text('c0af'), notUtf8],
    ['half a surrogate pair', text('eda080'), notUtf8],
    ['a code point beyond U+10FFFF', text('f4908080'), notUtf8],
    ['the reason of a close', closing(1000, Buffer.from('ff', 'hex')), notUtf8],
  ],
  'more data than the limits': [
    ['a message of 16 KiB and a byte', frame({ payload: 'x'.repeat(16 * 1024 + 1) }), tooLarge],
    [
      'a binary message of 16 KiB and a byte',
      frame({ opcode: 2, payload: 'x'.repeat(16 * 1024 + 1) }),
      tooLarge,
    ],
    ['a declared length of 64 KiB', frame({ length: 65536 }), tooLarge],
    ['a declared length of 4 GiB', frame({ length: 2 ** 32 }), tooLarge],
    ['a declared length of 2⁵³ bytes', frame({ length: 2 ** 53 }), tooLarge],
    ['a declared length of 2⁶³ bytes', frame({ length: 2n ** 63n }), tooLarge],
    ['a declared length of 2⁶⁴ − 1 bytes', frame({ length: 2n ** 64n - 1n }), tooLarge],
    ['a message in 17 fragments of 1 KiB', pieces(17, 'x'.repeat(1024)), tooLarge],
    ['a message in 20,000 empty fragments', pieces(20_000, ''), 1008],
    ['a message in 20,000 fragments of one byte', pieces(20_000, 'x'), tooLarge],
  ],
  'allowed frames that change nothing': [
    ['nothing', Buffer.alloc(0), 1000],
    ['a message of 16 KiB', frame({ payload: 'x'.repeat(16 * 1024) }), 1000],
    [
      'a fragmented message with a ping between the fragments',
      Buffer.concat([pieces(2, 'x'), frame({ opcode: 9 }), frame({ opcode: 0 })]),
      1000,
    ],
    ['JSON of 16,000 levels', frame({ payload: '['.repeat(16_000) }), 1000],
    ['a message as the service sends it', frame({ payload: '{"event":"message","message":"forged"}' }), 1000],
    [
      'an event as the service sends it',
      frame({ payload: '{"event":"joined","session":{"type":"host"}}' }),
      1000,
    ],
    [
      'a prototype',
      frame({ payload: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}' }),
      1000,
    ],
    ['a binary message', frame({ opcode: 2, payload: Buffer.alloc(1024) }), 1000],
    ['unsolicited pongs', Buffer.concat(Array.from({ length: 1000 }, () => frame({ opcode: 10 }))), 1000],
  ],
}
