import { fstatSync, lstatSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { AuditError, MeetroomError, UsageError } from '../../../errors.ts'
import { openOwnFile } from '../../../files/private-file.ts'

/** Number of times that a batch is written again because the file was replaced while it was written. */
const mostRewrites = 5

/** An open log, and what its path named when it was opened. */
interface LogFile {
  handle: FileHandle
  dev: number
  ino: number
}

/**
 * A file of lines that only grows. Several processes may write to it: each write is whole lines, and the system puts it at the end.
 * The first line opens it. A log rotation may move or remove it at any time: lines go to the file that the path names.
 */
export class AuditLog {
  readonly #path: string
  readonly #onLost: (error: AuditError) => void
  #file: LogFile | undefined
  /** The file does not end with a whole line. */
  #isTorn = false
  #lines = ''
  #waiting: { resolve(): void; reject(error: unknown): void }[] = []
  #writing: Promise<void> | undefined

  /** @param onLost told when a line could not be written that nothing waits for */
  constructor(path: string, onLost: (error: AuditError) => void) {
    this.#path = path
    this.#onLost = onLost
  }

  /**
   * Writes a line; resolves when it is on disk. One write and one sync serve all that came while the last ones were under way.
   * @throws {AuditError} when it cannot be written
   */
  synced(line: string): Promise<void> {
    this.#lines += line
    const synced = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
    this.#writing ??= this.#write()
    return synced
  }

  /** Writes a line. It is on disk when the system gets to it: a crash of the machine may lose it, one of the program does not. */
  written(line: string): void {
    try {
      const file = this.#file
      if (!file) return
      if (isAt(file, this.#path)) this.#append(file, line)
      if (isAt(file, this.#path)) return
    } catch (cause) {
      this.#onLost(this.#failure(cause))
      return
    }
    this.synced(line).catch(this.#onLost)
  }

  async close(): Promise<void> {
    await this.#writing
    const file = this.#file
    this.#file = undefined
    await file?.handle.close()
  }

  async #write(): Promise<void> {
    // Others of this turn of the event loop are let in.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      const lines = this.#lines
      this.#waiting = []
      this.#lines = ''
      try {
        await this.#sync(lines)
        for (const { resolve } of waiting) resolve()
      } catch (cause) {
        for (const { reject } of waiting) reject(this.#failure(cause))
      }
    }
    // Before any callback runs, which may have more to write.
    this.#writing = undefined
  }

  /**
   * Writes lines to disk. A file that is moved away meanwhile may be compressed without them and removed, so they are written
   * again to the next one: a line may be in both.
   */
  async #sync(lines: string): Promise<void> {
    for (let i = 0; i < mostRewrites; i++) {
      const file = await this.#current()
      this.#append(file, lines)
      await file.handle.datasync()
      if (isAt(file, this.#path)) return
    }
    throw new UsageError('it is replaced again and again')
  }

  /** The file that the path names. */
  async #current(): Promise<LogFile> {
    const before = this.#file
    if (before && isAt(before, this.#path)) return before
    this.#file = await this.#open()
    await before?.handle.close()
    return this.#file
  }

  async #open(): Promise<LogFile> {
    const handle = await openOwnFile(this.#path, 'append')
    this.#isTorn = !(await endsWithLine(this.#path))
    const { ino } = fstatSync(handle.fd)
    // On Windows, the two ways to ask disagree on the device.
    const named = lstatSync(this.#path, { throwIfNoEntry: false })
    return { handle, ino, dev: named?.ino === ino ? named.dev : Number.NaN }
  }

  /** In one call of the system, so that lines of several processes do not mix. */
  #append({ handle: { fd } }: LogFile, lines: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${lines}` : lines)
    this.#isTorn = true
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    this.#isTorn = false
  }

  #failure(cause: unknown): AuditError {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = cause instanceof MeetroomError ? `: ${message}` : ` (${code})`
    return new AuditError(`the audit log ${this.#path} cannot be written${why}`, {
      hint: 'nothing is sent that is not on record; pass --no-audit to send it anyway',
      cause,
    })
  }
}

/** Whether a path names an open file. */
function isAt({ handle, dev, ino }: LogFile, path: string): boolean {
  const named = lstatSync(path, { throwIfNoEntry: false })
  return named?.dev === dev && named.ino === ino && fstatSync(handle.fd).nlink > 0
}

/** A crash or a full disk may have left part of a line. One that must not be read is taken for whole. */
async function endsWithLine(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return true
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1)
    return size === 0 || (readSync(file.fd, last, 0, 1, size - 1) === 1 && last.toString() === '\n')
  } finally {
    await file.close()
  }
}
