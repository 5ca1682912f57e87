import { copyFile, type FileHandle, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MeetroomError, OutputError } from '../../../errors.ts'
import type { Machine } from '../../../files/file-lock.ts'
import { makeDirectory } from '../../../files/make-directory.ts'
import { openOwnFile } from '../../../files/private-file.ts'
import { type Entry, JournalState } from './journal-state.ts'
import { lockJournal } from './lock.ts'
import { type Purpose, readJournal, requireEnded, requireSame } from './read-journal.ts'

/**
 * Append-only record of an import in NDJSON: a header, rows before they are sent, and their outcomes. Rows are
 * synced to disk before they are sent.
 */
export class Journal {
  readonly #file: FileHandle
  readonly #path: string
  readonly #lock: string
  #buffer = ''
  #waiting: { resolve(): void; reject(error: unknown): void }[] = []
  #isWriting = false
  /** The first write error. Nothing is appended after it, because the last line may be incomplete. */
  #broken: unknown

  private constructor(
    path: string,
    file: FileHandle,
    readonly past: JournalState,
  ) {
    this.#file = file
    this.#path = path
    this.#lock = lockOf(path)
  }

  /**
   * Creates or resumes a journal.
   * @param rows number of rows in the input
   * @throws {UsageError} when another run uses the journal, or it does not match the input or `--resume`
   */
  static async open(
    path: string,
    purpose: Purpose,
    { rows, resume, host }: { rows: number; resume: boolean; host: Machine },
  ): Promise<Journal> {
    const lock = lockOf(path)
    await lockJournal(lock, host).catch((error) => {
      throw failure(path, error)
    })
    try {
      const before = await readJournal(path, rows)
      if (!resume) requireEnded(path, before)
      const resumed = resume ? requireSame(path, before, purpose) : undefined
      const file = await openOwnFile(path, resume ? 'append' : 'truncate')
      const journal = new Journal(path, file, resumed?.past ?? new JournalState(rows))
      // Appends after the last complete line; a crash may leave an incomplete one.
      if (resumed) await file.truncate(resumed.length)
      else journal.#append({ meetroom: 'journal', version: 1, ...purpose })
      await journal.#sync()
      return journal
    } catch (error) {
      await rm(lock, { force: true })
      throw failure(path, error)
    }
  }

  /** Records rows, in ascending order, as about to be sent; resolves when they are on disk. */
  sending(rows: readonly number[]): Promise<void> {
    let first = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      if (rows[i + 1] === row + 1) continue
      this.#append({ sent: rows[first], to: row })
      first = i + 1
    }
    return this.#sync()
  }

  /** Records an outcome without a sync. If a crash loses it, the row is looked up. */
  ended(entry: Entry): void {
    this.#append(entry)
  }

  /**
   * @param complete true when only failed rows remain
   * @param after handling of a complete journal: keep it, remove it, or move it to a path
   */
  async close(complete: boolean, after: 'keep' | 'remove' | { receipt: string } = 'keep'): Promise<void> {
    try {
      if (complete) this.#append({ end: true })
      await this.#sync()
    } finally {
      await this.#file.close()
      if (complete && after === 'remove') await rm(this.#path, { force: true })
      if (complete && typeof after === 'object') await move(this.#path, after.receipt)
      await rm(this.#lock, { force: true })
    }
  }

  #append(line: object): void {
    this.#buffer += `${JSON.stringify(line)}\n`
  }

  /** Lines that arrive during a write share the next write and sync. */
  #sync(): Promise<void> {
    const synced = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
    if (!this.#isWriting) void this.#write()
    return synced
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Collects the lines of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      const text = this.#buffer
      this.#waiting = []
      this.#buffer = ''
      try {
        if (this.#broken) throw this.#broken
        await this.#file.appendFile(text)
        await this.#file.datasync()
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        this.#broken = error
        for (const { reject } of waiting) reject(failure('', error))
      }
    }
    // Reset before any callback runs, which may append more lines.
    this.#isWriting = false
  }
}

/** Moves a journal, also across disks. A journal that cannot be moved stays, and serves as the receipt there. */
async function move(from: string, to: string): Promise<void> {
  try {
    makeDirectory(dirname(to))
    await rename(from, to).catch(() => copy(from, to))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

async function copy(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`)
  await rename(`${to}.new`, to)
  await rm(from, { force: true })
}

const lockOf = (path: string) => `${path}.lock`

function failure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof MeetroomError || code === undefined) return error
  return new OutputError(`the journal${path && ` ${path}`} cannot be written (${code})`, {
    hint: 'choose another place with --journal FILE, or pass --no-journal',
  })
}
