/** Serialized WebSocket frame, which can be sent to any number of sockets. */
export type Frame = Buffer

/** Serializes a message as a final, unmasked text frame (RFC 6455, section 5.2). */
export function toFrame(message: object): Frame {
  const payload = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(10)
  header[0] = 0x81
  return Buffer.concat([header.subarray(0, writeLength(header, payload.length)), payload])
}

function writeLength(header: Buffer, length: number): number {
  if (length < 126) return header.writeUInt8(length, 1)
  if (length < 2 ** 16) {
    header.writeUInt8(126, 1)
    return header.writeUInt16BE(length, 2)
  }
  header.writeUInt8(127, 1)
  return header.writeBigUInt64BE(BigInt(length), 2)
}
