import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MeetroomError, UsageError } from '../../../errors.ts'
import { AppendFile } from '../../../files/append-file.ts'
import { AppendLog } from '../../../files/append-log.ts'
import { copyFile } from '../../../files/draft.ts'
import { toWriteError } from '../../../files/file-errors.ts'
import { type Machine, takeLock } from '../../../files/file-lock.ts'
import { makeDirectory } from '../../../files/make-directory.ts'
import type { Host } from '../../../host.ts'
import { type JournalEntry, JournalState } from './journal-state.ts'
import { type JournalHeader, readJournal, requireEnded, requireSameImport } from './read-journal.ts'

/** Append-only NDJSON record of an import. Row numbers are on disk before the import sends the rows. */
export class Journal {
  readonly #file: AppendFile
  readonly #path: string
  readonly #lock: string
  readonly #log = new AppendLog((lines) => this.#write(lines))
  /** First write error. No append follows, because the last line may be incomplete. */
  #writeError: unknown

  private constructor(
    path: string,
    file: AppendFile,
    readonly state: JournalState,
  ) {
    this.#file = file
    this.#path = path
    this.#lock = lockPath(path)
  }

  /**
   * @param rows largest row number in the input
   * @throws {UsageError} if the journal is in use, or unusable for this run
   * @throws {OutputError} if the journal cannot be read or written
   */
  static async open(
    path: string,
    header: JournalHeader,
    { rows, resume, host }: { rows: number; resume: boolean; host: Machine & Pick<Host, 'effectiveUid'> },
  ): Promise<Journal> {
    const lock = lockPath(path)
    const holder = await takeLock(lock, host).catch((error) => {
      throw toJournalError(path, error)
    })
    if (holder !== undefined)
      throw new UsageError(`another import (${holder}) holds the journal lock ${lock}`, {
        hint: `wait until that process ends; if it does not exist, delete ${lock}`,
      })
    try {
      const previous = await readJournal(path, rows)
      if (!resume) requireEnded(path, previous)
      const resumedJournal = resume ? requireSameImport(path, previous, header) : undefined
      const file = await AppendFile.open(path, host.effectiveUid, { truncate: !resume })
      const journal = new Journal(path, file, resumedJournal?.state ?? new JournalState(rows))
      // A crash may have written an incomplete last line.
      if (resumedJournal) await file.truncate(resumedJournal.length)
      else journal.#append({ meetroom: 'journal', version: 1, ...header })
      await journal.#log.appendSynced()
      return journal
    } catch (error) {
      await rm(lock, { force: true })
      throw toJournalError(path, error)
    }
  }

  /** Records rows before they are sent. Resolves when the record is on disk. */
  recordSending(rows: readonly number[]): Promise<void> {
    let first = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      if (rows[i + 1] === row + 1) continue
      this.#append({ sent: rows[first], to: row })
      first = i + 1
    }
    return this.#log.appendSynced()
  }

  /** Records an outcome without waiting for the disk. */
  recordOutcome(entry: JournalEntry): void {
    this.#append(entry)
  }

  /**
   * @param keep false to remove a complete journal
   * @param receipt path for a copy of a complete journal
   */
  async close(
    isComplete: boolean,
    { keep = true, receipt }: { keep?: boolean; receipt?: string | undefined } = {},
  ): Promise<void> {
    try {
      if (isComplete) this.#append({ end: true })
      await this.#log.appendSynced()
    } finally {
      await this.#file.close()
      const isStored = !isComplete || !receipt || (await storeReceipt(this.#path, receipt))
      // A journal that cannot be copied serves as the receipt.
      if (isComplete && isStored && !keep) await rm(this.#path, { force: true })
      await rm(this.#lock, { force: true })
    }
  }

  #append(line: object): void {
    this.#log.append(`${JSON.stringify(line)}\n`)
  }

  async #write(lines: string): Promise<void> {
    try {
      if (this.#writeError) throw this.#writeError
      this.#file.append(lines)
      await this.#file.sync()
    } catch (error) {
      this.#writeError = error
      throw toJournalError('', error)
    }
  }
}

async function storeReceipt(journal: string, receipt: string): Promise<boolean> {
  try {
    makeDirectory(dirname(receipt))
    await copyFile(journal, receipt)
    return true
  } catch (error) {
    if (!(error instanceof MeetroomError) && (error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}

const lockPath = (path: string) => `${path}.lock`

const toJournalError = (path: string, error: unknown) =>
  toWriteError(`the journal${path && ` ${path}`}`, error, {
    hint: 'choose another file with --journal FILE, or pass --no-journal',
  })
