import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Hint, suggest } from '../../errors.ts'
import { toReadError } from '../../files/file-errors.ts'
import { requireOwnDirectory } from '../../files/make-directory.ts'
import { savedDirectory } from './copy.ts'

export interface SavedCopy {
  path: string
  bytes: number
  savedAtMs: number
}

/**
 * Lists the automatic copies of a workspace, newest first.
 * @throws {UsageError} if the directory cannot be read
 */
export function listSavedCopies(dir: string): SavedCopy[] {
  const directory = join(dir, savedDirectory)
  const found: SavedCopy[] = []
  for (const name of readNames(directory)) {
    const path = join(directory, name)
    const file = lstatSync(path, { throwIfNoEntry: false })
    if (/^before-.*\.db$/.test(name) && file?.isFile())
      found.push({ path, bytes: file.size, savedAtMs: file.mtimeMs })
  }
  return found.sort((a, b) => b.savedAtMs - a.savedAtMs || (a.path < b.path ? 1 : -1))
}

export function suggestRestore(dir: string, [newest]: readonly SavedCopy[]): Hint {
  return ['restore a backup with: ', suggest(['local', 'restore', newest?.path ?? 'FILE', '--data-dir', dir])]
}

function readNames(directory: string): string[] {
  try {
    requireOwnDirectory(directory)
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw toReadError(directory, error, {
      hint: 'the path must be a directory for copies of the workspace; move any other file away',
    })
  }
}

export function deleteSavedCopies(copies: readonly SavedCopy[]): void {
  for (const { path } of copies) rmSync(path, { force: true })
}

export const sumBytes = (copies: readonly SavedCopy[]) => copies.reduce((sum, { bytes }) => sum + bytes, 0)
