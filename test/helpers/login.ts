import { createHash } from 'node:crypto'
import { testNow } from './host.ts'

/** When the tests store a key. */
export const storedAt = new Date(testNow).toISOString()

export const fingerprint = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8)

/** What `auth login` says of a key that it has stored. */
export const aboutKey = (key: string) => `key fingerprint ${fingerprint(key)}, stored ${storedAt}\n`
