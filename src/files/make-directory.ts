import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory for this user alone, and its missing parents. Node 20 never returns from `mkdir` with `recursive` where the
 * system refuses to make a directory, as in /proc.
 * @returns whether the directory is new
 * @throws the system error of the directory that cannot be made
 */
export function makeDirectory(path: string): boolean {
  try {
    return makeOne(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    makeDirectory(parent)
    return makeOne(path)
  }
}

function makeOne(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (isDirectory(path)) return false
    throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
