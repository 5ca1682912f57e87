import { constants, createWriteStream, existsSync, type WriteStream } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '../../api/json.ts'
import { OutputError, UsageError } from '../../errors.ts'
import type { InputFormat, Row } from './rows.ts'

/**
 * A file of the rows that were refused, in the form of the input and each with its reason: mended, it is an input
 * again. Made when the first row is refused.
 */
export class Rejects {
  #stream: WriteStream | undefined
  #ended: Promise<void> | undefined

  private constructor(
    readonly path: string,
    readonly format: InputFormat,
    readonly columns: readonly string[] | undefined,
  ) {}

  /**
   * @param taken files of the same run, which this one must not be
   * @throws {UsageError} when it is one of them
   * @throws {OutputError} when it could not be written
   */
  static async open(
    file: string,
    format: InputFormat,
    columns: readonly string[] | undefined,
    cwd: string,
    taken: readonly (string | undefined)[],
  ): Promise<Rejects> {
    const path = resolve(cwd, file)
    const real = (name: string) => realpath(name).catch(() => name)
    for (const other of taken)
      if (other !== undefined && (await real(other)) === (await real(path)))
        throw new UsageError('--failed-out names a file that the import itself needs')
    try {
      await access(dirname(path), constants.W_OK)
      if (existsSync(path)) await access(path, constants.W_OK)
    } catch (error) {
      throw new OutputError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`)
    }
    return new Rejects(path, format, columns)
  }

  /** Resolves when the file can take more. */
  async add(row: Row, reason: string): Promise<void> {
    const first = this.#stream === undefined
    const stream = this.#open()
    if (!stream.write(this.#textOf(row, reason, first))) await Promise.race([drained(stream), this.#ended])
  }

  #open(): WriteStream {
    if (this.#stream) return this.#stream
    this.#stream = createWriteStream(this.path, { mode: 0o600 })
    this.#ended = finished(this.#stream).catch((error: NodeJS.ErrnoException) => {
      throw new OutputError(`${this.path} cannot be written (${error.code})`)
    })
    // Whoever waits for it meets its failure.
    this.#ended.catch(() => {})
    return this.#stream
  }

  #textOf({ cells = [], fields, text }: Row, reason: string, first: boolean): string {
    switch (this.format) {
      case 'csv': {
        const names = this.columns ?? []
        // A file of rejects that is refused again keeps its one column of reasons.
        const at = names.indexOf('reason') < 0 ? names.length : names.indexOf('reason')
        const line = [...cells]
        while (line.length < at) line.push('')
        // Behind what there is too much of: nothing of the row is lost.
        line[line.length > names.length ? line.length : at] = reason
        const header = [...names]
        header[at] = 'reason'
        return stringify(first ? [header, line] : [line], {
          record_delimiter: '\r\n',
          quoted_match: /[\r\n]/,
        })
      }
      case 'ndjson':
        // What is no JSON has no place for a reason; it is to be mended as it is.
        if (text !== undefined) return `${text}\n`
        return `${writeJson({ ...fields, reason })}\n`
      case 'json':
        if (text !== undefined) return `${first ? '[' : ','}\n${text}`
        return `${first ? '[' : ','}\n${writeJson({ ...fields, reason })}`
    }
  }

  /** @throws {OutputError} when something could not be written */
  async close(): Promise<void> {
    if (!this.#stream) return
    this.#stream.end(this.format === 'json' ? '\n]\n' : '')
    await this.#ended
  }
}

function drained(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve))
}
