import type { IncomingMessage } from 'node:http'

/**
 * The body of a request, or undefined when it is larger than `most` bytes. Rejects when the connection ends before the
 * body does.
 */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  // By events: asynchronous iteration costs as much as all the rest of a small request.
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
