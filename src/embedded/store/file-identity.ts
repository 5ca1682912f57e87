import { statSync } from 'node:fs'

/**
 * Remembers which files a database uses now.
 * @returns a function that tells whether their paths still name them; it takes a few microseconds
 */
export function rememberFiles(database: string): () => boolean {
  const identify = () => [database, `${database}-wal`].map(identifyFile).join()
  const opened = identify()
  return () => identify() === opened
}

function identifyFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}
