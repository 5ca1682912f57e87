import { randomFillSync } from 'node:crypto'

export interface Ids {
  /** 24 lower-case hex digits: 12 of the time in milliseconds, 12 random ones. */
  newId(): string
  /** A token that nobody can guess: 10 characters of the time, 32 random ones. */
  newToken(): string
}

/**
 * Makes ids and tokens. The time comes first, so that a new one goes to the end of its index; at random places, each
 * would change a page of its own.
 * @param now milliseconds since 1970
 */
export function createIds(now: () => number): Ids {
  // Asking the system for a few random bytes costs as much as asking for all of these.
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
