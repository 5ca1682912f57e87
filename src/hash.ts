/** Hashes a key to 52 bits. */
export function hashKey(key: string): number {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + i), 0x85ebca6b)
    high ^= high >>> 13
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0)
}

/**
 * Hashes a text to 32 evenly distributed bits. The hash must not change, because resumed imports select rows
 * by hash.
 */
export function hashEvenly(text: string): number {
  let hash = hashKey(text) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
