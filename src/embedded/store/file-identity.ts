import { closeSync, existsSync, fstatSync, statSync } from 'node:fs'
import { openRegular } from '../../files/read-file.ts'

/** Files of an open database, to detect their deletion or replacement, or a truncated log. */
export class DatabaseFiles {
  readonly #paths: readonly string[]
  readonly #opened: string
  /** Descriptor of the write-ahead log; undefined if the database has none. */
  readonly #log: number | undefined
  #logBytes = 0
  #isLost = false

  constructor(database: string) {
    const log = `${database}-wal`
    this.#paths = [database, log]
    this.#opened = this.#identify()
    this.#log = existsSync(log) ? openRegular(log) : undefined
    this.noteLog()
  }

  /** Returns true from the first call that finds a file deleted or replaced, or the log truncated. */
  areLost(): boolean {
    this.#isLost ||= this.#identify() !== this.#opened
    this.noteLog()
    return this.#isLost
  }

  /** Detects a truncated log. Call before and after each commit, because a commit could hide a truncation. */
  noteLog(): void {
    if (this.#log === undefined) return
    const { size } = fstatSync(this.#log)
    // SQLite never truncates the log of an open database, because `journal_size_limit` is unset.
    this.#isLost ||= size < this.#logBytes
    this.#logBytes = size
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log)
  }

  #identify(): string {
    return this.#paths.map(identifyFile).join()
  }
}

function identifyFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}
