import { createHash } from 'node:crypto'
import { testNow } from './host.ts'

/** Time at which the tests store a key. */
export const storedAt = new Date(testNow).toISOString()

export const fingerprint = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8)

/** Returns the text that `auth login` prints about a stored key. */
export const aboutKey = (key: string) => `key fingerprint ${fingerprint(key)}, stored ${storedAt}\n`
