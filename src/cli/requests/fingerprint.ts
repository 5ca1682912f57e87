import { createHash } from 'node:crypto'

/** Minimum length of a key with a fingerprint, in characters, to prevent brute force. */
const minKeyLength = 20

export function formatFingerprint(key: string): string | undefined {
  return key.length < minKeyLength ? undefined : createHash('sha256').update(key).digest('hex').slice(0, 8)
}
