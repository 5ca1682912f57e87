import { createHash } from 'node:crypto'

/** Minimum length of a key that gets a fingerprint. A shorter key could be found by brute force. */
const minKeyLength = 20

/** Returns the first 8 hexadecimal digits of a key's SHA-256; undefined for a key that is too short. */
export function formatFingerprint(key: string): string | undefined {
  return key.length < minKeyLength ? undefined : createHash('sha256').update(key).digest('hex').slice(0, 8)
}
