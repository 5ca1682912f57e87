import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createLinkError } from './file-kind.ts'

/**
 * Creates the missing directories of a path with mode 0700. In Node 20, recursive `mkdir` never returns in
 * /proc.
 * @returns true for a new directory
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
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
    throw error
  }
}

/** @throws {UsageError} for a symbolic link, which may lead to a directory of another user */
export function requireOwnDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw createLinkError(path)
}
