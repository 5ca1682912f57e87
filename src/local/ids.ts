import { randomBytes } from 'node:crypto'

/** 24 lower-case hex digits: 12 of the time in milliseconds, 12 of chance. */
export function newId(now: number): string {
  return Math.floor(now).toString(16).padStart(12, '0').slice(-12) + randomBytes(6).toString('hex')
}

/** A token that nobody can guess. */
export function newToken(): string {
  // A minus at its beginning would be a flag on a command line, and a formula in a spreadsheet.
  return randomBytes(24).toString('base64url').replace(/^-/, 'A')
}
