import { randomFillSync } from 'node:crypto'

export interface Ids {
  /** Returns 24 lowercase hex digits: 12 encode the time in Unix milliseconds, and 12 are random. */
  newId(): string
  /** Returns a token of 42 characters: 10 encode the time, and 32 are random. */
  newToken(): string
}

/** Begins IDs and tokens with the time, so that inserts append to the database index. */
export function createIds(now: () => number): Ids {
  // One large read of random bytes costs as much as one small read.
  const pool = Buffer.alloc(4080)
  let used = pool.length
  const random = (bytes: number) => {
    if (used + bytes > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += bytes
    return pool.subarray(used - bytes, used)
  }
  const time = (radix: number, length: number) =>
    Math.floor(now()).toString(radix).padStart(length, '0').slice(-length)
  return {
    newId: () => time(16, 12) + random(6).toString('hex'),
    newToken: () => time(36, 10) + random(24).toString('base64url'),
  }
}
