import { rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { OutputFile } from '../../../files/output-file.ts'
import type { InputFormat, Row } from '../read/rows.ts'

/** How the input is written. */
interface Form {
  columns: readonly string[] | undefined
  delimiter: string | undefined
  /** Whether the file needs a byte order mark. */
  mark: boolean
}

/**
 * A file of the rows that were refused, in the form of the input and each with its reason: once fixed, it is an input
 * again. There is none when no row was refused, whatever stood there before: its rows have been done meanwhile.
 */
export class Rejects {
  readonly #file: OutputFile
  #empty = true

  private constructor(
    readonly path: string,
    readonly format: InputFormat,
    readonly form: Form,
    file: OutputFile,
  ) {
    this.#file = file
  }

  /**
   * @param taken files of the same run, which this one must not be
   * @throws {UsageError} when it is one of them
   * @throws {OutputError} when it cannot be written
   */
  static async open(
    file: string,
    format: InputFormat,
    form: Form,
    cwd: string,
    taken: readonly (string | undefined)[],
  ): Promise<Rejects> {
    const path = resolve(cwd, file)
    for (const other of taken)
      if (other !== undefined && (other === path || (await isSame(other, path))))
        throw new UsageError('--failed-out names a file that the import itself uses')
    return new Rejects(path, format, form, await OutputFile.open(file, cwd))
  }

  /** Resolves when the file can take more. */
  async add(row: Row, reason: string): Promise<void> {
    // The encoding given for the input does not apply to this file.
    const mark = this.#empty && this.form.mark ? '\ufeff' : ''
    const text = mark + this.#textOf(row, reason, this.#empty)
    this.#empty = false
    await this.#file.write(text)
  }

  #textOf({ cells = [], fields, text }: Row, reason: string, first: boolean): string {
    switch (this.format) {
      case 'csv': {
        const { columns: names = [], delimiter = ',' } = this.form
        // A file of rejects that is refused again keeps its one column of reasons.
        const at = names.indexOf('reason') < 0 ? names.length : names.indexOf('reason')
        const line = [...cells]
        while (line.length < at) line.push('')
        // Behind what there is too much of: nothing of the row is lost.
        line[line.length > names.length ? line.length : at] = reason
        const header = [...names]
        header[at] = 'reason'
        return stringify(first ? [header, line] : [line], {
          delimiter,
          record_delimiter: '\r\n',
          quoted_match: /[\r\n]/,
        })
      }
      case 'ndjson':
        // What is not JSON has no place for a reason, so it is written as it was.
        if (text !== undefined) return `${text}\n`
        return `${writeJson({ ...fields, reason })}\n`
      case 'json':
        if (text !== undefined) return `${first ? '[' : ','}\n${text}`
        return `${first ? '[' : ','}\n${writeJson({ ...fields, reason })}`
    }
  }

  /** @throws {OutputError} when something could not be written */
  async close(): Promise<void> {
    await this.#file.close(this.format === 'json' && !this.#empty ? '\n]\n' : '')
    // Only a file is ours to remove: /dev/stderr is not.
    if (this.#empty && (await stat(this.path)).isFile()) await rm(this.path)
  }
}

/** Whether two names are of one file, hard links included. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}
