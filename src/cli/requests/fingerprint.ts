import { createHash } from 'node:crypto'

/** Shorter keys might be found by trying all of them. */
const shortest = 20

/** The first 8 hex digits of the SHA-256 of a key; undefined for keys of fewer than 20 characters. */
export function fingerprintOf(key: string): string | undefined {
  return key.length < shortest ? undefined : createHash('sha256').update(key).digest('hex').slice(0, 8)
}
