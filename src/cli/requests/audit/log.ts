import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs'
import { AuditError, UsageError } from '../../../errors.ts'
import { AppendFile } from '../../../files/append-file.ts'
import { AppendLog } from '../../../files/append-log.ts'
import { describeWriteFailure } from '../../../files/file-errors.ts'
import { openRegular } from '../../../files/read-file.ts'

/** Maximum number of times that lines are written while log rotation keeps replacing the file. */
const maxRewrites = 5

export interface AuditLogHandlers {
  /** Called when a line passed to `append` cannot be written. */
  onLost(error: AuditError): void
  /** Called when the opened file is writable by other users. */
  onShared(): void
}

interface LogFile {
  file: AppendFile
  dev: number
  ino: number
}

/**
 * Append-only log file for several processes. After log rotation, new lines go to a new file at the same
 * path.
 */
export class AuditLog {
  #file: LogFile | undefined
  /** True if the last line of the file may be incomplete. */
  #isIncomplete = false
  readonly #log = new AppendLog((lines) => this.#write(lines))
  readonly #path: string
  readonly #uid: number | undefined
  readonly #handlers: AuditLogHandlers

  /** @param uid effective user ID; undefined on systems without user IDs */
  constructor(path: string, uid: number | undefined, handlers: AuditLogHandlers) {
    this.#path = path
    this.#uid = uid
    this.#handlers = handlers
  }

  /**
   * Resolves when the line is on disk.
   * @throws {AuditError} if the line cannot be written
   */
  appendSynced(line: string): Promise<void> {
    return this.#log.appendSynced(line)
  }

  /** Appends a line, usually without a sync. Does nothing unless the file is open. */
  append(line: string): void {
    try {
      const file = this.#file
      if (!file) return
      if (isCurrentFile(file, this.#path)) this.#append(file, line)
      if (isCurrentFile(file, this.#path)) return
    } catch (cause) {
      this.#handlers.onLost(this.#toAuditError(cause))
      return
    }
    this.appendSynced(line).catch(this.#handlers.onLost)
  }

  async close(): Promise<void> {
    await this.#log.settled()
    const file = this.#file
    this.#file = undefined
    await file?.file.close()
  }

  /** Repeats the write if rotation moves the file meanwhile, because the moved file may be deleted. */
  async #write(lines: string): Promise<void> {
    try {
      for (let i = 0; i < maxRewrites; i++) {
        const file = await this.#current()
        this.#append(file, lines)
        await file.file.sync()
        if (isCurrentFile(file, this.#path)) return
      }
    } catch (cause) {
      throw this.#toAuditError(cause)
    }
    throw this.#toAuditError(new UsageError('another program keeps replacing the file'))
  }

  async #current(): Promise<LogFile> {
    const before = this.#file
    if (before && isCurrentFile(before, this.#path)) return before
    this.#file = await this.#open()
    await before?.file.close()
    return this.#file
  }

  async #open(): Promise<LogFile> {
    const file = await AppendFile.open(this.#path, this.#uid)
    this.#isIncomplete = !endsWithLineFeed(this.#path)
    const { ino, mode } = file.stat()
    if (this.#uid !== undefined && (mode & 0o022) !== 0) this.#handlers.onShared()
    // The device comes from lstat, because fstat reports another device on Windows.
    const current = lstatSync(this.#path, { throwIfNoEntry: false })
    return { file, ino, dev: current?.ino === ino ? current.dev : Number.NaN }
  }

  #append({ file }: LogFile, lines: string): void {
    const text = this.#isIncomplete ? `\n${lines}` : lines
    this.#isIncomplete = true
    file.append(text)
    this.#isIncomplete = false
  }

  #toAuditError(cause: unknown): AuditError {
    return new AuditError(describeWriteFailure(`the audit log ${this.#path}`, cause), {
      hint: 'pass --no-audit to send the request without logging it',
      cause,
    })
  }
}

function isCurrentFile({ file, dev, ino }: LogFile, path: string): boolean {
  const current = lstatSync(path, { throwIfNoEntry: false })
  return current?.dev === dev && current.ino === ino && file.stat().nlink > 0
}

/** Returns true if the file is empty, cannot be opened or ends with a line feed. */
function endsWithLineFeed(path: string): boolean {
  let file: number
  try {
    file = openRegular(path)
  } catch {
    return true
  }
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last.toString() === '\n')
  } finally {
    closeSync(file)
  }
}
