import { rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { OutputFile } from '../../../files/output-file.ts'
import type { InputFormat, Row } from '../read/rows.ts'

interface Form {
  columns: readonly string[] | undefined
  delimiter: string | undefined
  /** True when the file needs a byte order mark. */
  mark: boolean
}

/**
 * File of failed rows in the format of the input, each with its reason. Once fixed, it can be imported. Without
 * failed rows the file is removed.
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
   * @param taken other files of the run
   * @throws {UsageError} when the file is one of them
   * @throws {OutputError} when the file cannot be written
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

  async add(row: Row, reason: string): Promise<void> {
    // The file is UTF-8, whatever the encoding of the input.
    const mark = this.#empty && this.form.mark ? '\ufeff' : ''
    const text = mark + this.#textOf(row, reason, this.#empty)
    this.#empty = false
    await this.#file.write(text)
  }

  #textOf({ cells = [], fields, text }: Row, reason: string, first: boolean): string {
    switch (this.format) {
      case 'csv': {
        const { columns: names = [], delimiter = ',' } = this.form
        // A file of rejects keeps its single reason column when it is imported again.
        const at = names.indexOf('reason') < 0 ? names.length : names.indexOf('reason')
        const line = [...cells]
        while (line.length < at) line.push('')
        // Appended after surplus cells, so that no data is lost.
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
        // Text that is not JSON cannot hold a reason, so it is written unchanged.
        if (text !== undefined) return `${text}\n`
        return `${writeJson({ ...fields, reason })}\n`
      case 'json':
        if (text !== undefined) return `${first ? '[' : ','}\n${text}`
        return `${first ? '[' : ','}\n${writeJson({ ...fields, reason })}`
    }
  }

  async close(): Promise<void> {
    await this.#file.close(this.format === 'json' && !this.#empty ? '\n]\n' : '')
    // Devices such as /dev/stderr must not be removed.
    if (this.#empty && (await stat(this.path)).isFile()) await rm(this.path)
  }
}

/** Returns true when two paths name the same file, hard links included. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}
