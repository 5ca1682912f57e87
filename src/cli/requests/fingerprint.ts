import { createHash } from 'node:crypto'

/** Minimum key length: the hash of a shorter key can be brute-forced. */
const minKeyLength = 20

/** Returns the first 8 hex digits of the key's SHA-256; undefined for keys of fewer than 20 characters. */
export function formatFingerprint(key: string): string | undefined {
  return key.length < minKeyLength ? undefined : createHash('sha256').update(key).digest('hex').slice(0, 8)
}
