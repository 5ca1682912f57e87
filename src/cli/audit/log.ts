import { readSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { AuditError, MeetroomError } from '../../errors.ts'
import { openOwn } from '../../own-file.ts'

/**
 * A file of lines that only grows. Several processes may write to it: each write is whole lines, and the system puts it at the end.
 * It is opened by the first line.
 */
export class AuditLog {
  readonly #path: string
  readonly #onLost: (error: AuditError) => void
  #opening: Promise<FileHandle> | undefined
  #file: FileHandle | undefined
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
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return synced
  }

  /** Writes a line. It is on disk when the system gets to it: a crash of the machine may lose it, one of the program does not. */
  written(line: string): void {
    try {
      if (this.#file) this.#append(this.#file, line)
    } catch (cause) {
      this.#onLost(this.#failure(cause))
    }
  }

  async close(): Promise<void> {
    await this.#writing
    const file = this.#file
    this.#file = undefined
    this.#opening = undefined
    await file?.close()
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
        this.#opening ??= this.#open()
        this.#file = await this.#opening
        this.#append(this.#file, lines)
        await this.#file.datasync()
        for (const { resolve } of waiting) resolve()
      } catch (cause) {
        if (!this.#file) this.#opening = undefined
        for (const { reject } of waiting) reject(this.#failure(cause))
      }
    }
  }

  async #open(): Promise<FileHandle> {
    const file = await openOwn(this.#path, 'append')
    this.#isTorn = !(await endsWithLine(this.#path))
    return file
  }

  /** In one call of the system, so that lines of several processes do not mix. */
  #append({ fd }: FileHandle, lines: string): void {
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
