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
 * An append-only record of a run, a JSON object a line: what it is of, rows before they are sent and each after it was
 * answered. What is said to be sent is on disk before it is.
 */
export class Journal {
  readonly #file: FileHandle
  readonly #path: string
  readonly #lock: string
  #buffer = ''
  #waiting: { resolve(): void; reject(error: unknown): void }[] = []
  #isWriting = false
  /** Why it could not be written. Nothing follows: a line may be torn, and what is behind it could not be read. */
  #broken: unknown

  private constructor(
    path: string,
    file: FileHandle,
    /** What it recorded about the rows when it was opened. */
    readonly past: JournalState,
  ) {
    this.#file = file
    this.#path = path
    this.#lock = lockOf(path)
  }

  /**
   * Begins a journal, or resumes one.
   * @param rows how many the input has
   * @throws {UsageError} when another run uses it, it is of something else, or there is (not) one to resume
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
      // Behind the last whole line: a crash may have torn the one after it.
      if (resumed) await file.truncate(resumed.length)
      else journal.#append({ meetroom: 'journal', version: 1, ...purpose })
      await journal.#sync()
      return journal
    } catch (error) {
      await rm(lock, { force: true })
      throw failure(path, error)
    }
  }

  /** Notes that rows, in the order of their numbers, are about to be sent; resolves when that is on disk. */
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

  /** Records the outcome of a row. Losing this to a crash is harmless: the row is looked up then. */
  ended(entry: Entry): void {
    this.#append(entry)
  }

  /**
   * @param complete the run ended by itself: nothing is left to resume but what failed
   * @param after what becomes of a complete journal: it stays where it is, is removed, or is moved to a path
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

  /** One write and one sync for all that came while the last ones were under way. */
  #sync(): Promise<void> {
    const synced = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
    if (!this.#isWriting) void this.#write()
    return synced
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Others of this turn of the event loop are let in.
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
    // At once: whoever is called back now may have more to write.
    this.#isWriting = false
  }
}

/** Moves a journal, also to another disk. Where that is impossible it stays, and is a receipt there as well. */
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
