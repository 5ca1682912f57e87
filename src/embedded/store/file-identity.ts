import { statSync } from 'node:fs'

/** Maximum age of a check before a commit, in milliseconds. A check for each commit takes 2 % of the time of a write. */
const maxAgeMs = 100

/** Files that a database used when it was opened. */
export class DatabaseFiles {
  readonly #paths: readonly string[]
  readonly #opened: string
  #checkedAt = 0
  #isLost = false

  constructor(database: string) {
    this.#paths = [database, `${database}-wal`]
    this.#opened = this.#identify()
  }

  /** Returns true once a path names another file or none. Writes would then be lost. */
  areLost(): boolean {
    this.#checkedAt = performance.now()
    this.#isLost ||= this.#identify() !== this.#opened
    return this.#isLost
  }

  /** Like `areLost`, but up to 100 ms late. */
  wereLost(): boolean {
    return performance.now() - this.#checkedAt < maxAgeMs ? this.#isLost : this.areLost()
  }

  #identify(): string {
    return this.#paths.map(identifyFile).join()
  }
}

function identifyFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}
