import type { IncomingMessage } from 'node:http'

/** Reads the body of a request. Resolves to undefined when the body exceeds `most` bytes. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  // Asynchronous iteration would double the cost of a small request.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request
      .on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= most) chunks.push(chunk)
        else resolve(undefined)
      })
      .once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      .once('error', reject)
  })
}
