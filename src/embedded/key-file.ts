import { dirname, resolve } from 'node:path'
import { readInDataDirectory, readTrusted } from '../files/trusted-file.ts'

/**
 * Reads the API key of a workspace.
 * @param dir data directory; undefined for a workspace in memory
 * @returns empty text for an empty file; undefined if the contents are not a key
 * @throws {UsageError} or a system error if the file cannot be used
 */
export function readKeyFile(file: string, dir: string | undefined, uid: number | undefined) {
  const text = isInDataDirectory(file, dir) ? readInDataDirectory(file, uid) : readTrusted(file, uid, file)
  const key = text.trim()
  return /^[\x21-\x7e]*$/.test(key) ? key : undefined
}

/** Returns true for a key file in the data directory, where symbolic links are not followed. */
export function isInDataDirectory(file: string, dir: string | undefined): boolean {
  return dir !== undefined && resolve(dirname(file)) === resolve(dir)
}
