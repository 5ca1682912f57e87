import type { IncomingMessage } from 'node:http'
import { ChunkList } from '../../api/chunk-list.ts'

/**
 * Reads a body of at most `most` bytes. After a refusal, the rest of the body is unread.
 * @param onAccept called immediately before the body is read
 * @throws if the connection closes before the end of the body
 */
export function readBody(
  request: IncomingMessage,
  most: number,
  reservation?: BodyReservation,
  onAccept = () => {},
): Promise<Buffer | 'too large' | 'no memory'> {
  const refusal = findRefusal(Number(request.headers['content-length'] ?? 0), most, reservation)
  if (refusal) return Promise.resolve(refusal)
  // A destroyed request emits no more events, so the promise below would never settle.
  if (request.destroyed) return Promise.reject(new Error('the client closed the connection'))
  onAccept()
  // Asynchronous iteration would double the cost of a small request.
  return new Promise((resolve, reject) => {
    let chunks = new ChunkList()
    let size = 0
    const keep = (chunk: Buffer) => {
      size += chunk.length
      const refusal = findRefusal(size, most, reservation)
      if (refusal === undefined) return void chunks.add(chunk)
      request.off('data', keep).pause()
      chunks = new ChunkList()
      resolve(refusal)
    }
    request
      .on('data', keep)
      .once('end', () => resolve(chunks.concat()))
      .once('error', reject)
  })
}

function findRefusal(size: number, most: number, reservation: BodyReservation | undefined) {
  if (size > most) return 'too large'
  return reservation?.extend(size) === false ? 'no memory' : undefined
}

/** Memory that all bodies share. */
interface BodyBudget {
  freeBytes: number
}

export class BodyReservation {
  readonly #budget: BodyBudget
  #bytes = 0

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Extends the reservation to a total of `bytes`. Returns false if too few bytes are free. */
  extend(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (more > this.#budget.freeBytes) return false
    this.#budget.freeBytes -= more
    this.#bytes = bytes
    return true
  }

  release(): void {
    this.#budget.freeBytes += this.#bytes
    this.#bytes = 0
  }
}
