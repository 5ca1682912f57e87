import type { WriteStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { describeSystemError, OutputError, UsageError } from '../errors.ts'
import { openUserFile } from './private-file.ts'

export class OutputFile {
  readonly #stream: WriteStream
  readonly #ended: Promise<void>

  private constructor(path: string, file: FileHandle) {
    this.#stream = file.createWriteStream()
    this.#ended = finished(this.#stream).catch((error: NodeJS.ErrnoException) => {
      throw new OutputError(`${path} cannot be written: ${describeSystemError(error, 'no such directory')}`)
    })
    // `close` handles the error. This handler prevents an unhandled rejection before that.
    this.#ended.catch(() => {})
  }

  /**
   * @throws {UsageError} when the path is not a file, device or pipe
   * @throws {OutputError} when the file cannot be opened for writing
   */
  static async open(file: string, cwd: string): Promise<OutputFile> {
    const path = resolve(cwd, file)
    try {
      return new OutputFile(path, await openUserFile(path))
    } catch (error) {
      if (error instanceof UsageError) throw error
      throw new OutputError(`${file} cannot be written: ${describeSystemError(error, 'no such directory')}`)
    }
  }

  async write(text: string): Promise<void> {
    if (!this.#stream.write(text)) await Promise.race([waitForDrain(this.#stream), this.#ended])
  }

  /** @throws {OutputError} when a write failed */
  async close(rest = ''): Promise<void> {
    this.#stream.end(rest)
    await this.#ended
  }
}

function waitForDrain(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve))
}
