import { stat } from 'node:fs/promises'
import { writeJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { resolveOutput } from '../../../files/file-kind.ts'
import { streamInput } from '../../../files/input-file.ts'
import { OutputFile, requireSameKind } from '../../../files/output-file.ts'
import type { Host } from '../../../host.ts'
import type { Context } from '../../kernel/context.ts'
import { byteOrderMark, csvLine } from '../../output/formats/csv.ts'
import type { CheckedInput } from '../read/check.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { type InputFormat, type Row, readRows } from '../read/rows.ts'
import type { Source } from '../read/source.ts'

interface RejectsFormat {
  columns: readonly string[] | undefined
  delimiter: string | undefined
  byteOrderMark: boolean
}

/** File of failed rows and reasons, in the format of the input. */
export class Rejects {
  readonly #file: OutputFile
  #isEmpty = true

  private constructor(
    readonly format: InputFormat,
    readonly layout: RejectsFormat,
    file: OutputFile,
  ) {
    this.#file = file
  }

  /**
   * Opens the file of `--failed-out`, if any.
   * @throws {UsageError} if the import uses the file, or the file has other contents than failed rows
   */
  static async open(
    { host, flags: { dryRun, bom = false } }: Context,
    { flags, format, checked, source, journal }: FailedInput,
  ): Promise<Rejects | undefined> {
    const { failedOut: file, encoding = 'utf-8' } = flags
    if (file === undefined || dryRun) return undefined
    const path = resolveOutput(file, host, 'failed.csv')
    for (const other of [source.path, journal])
      if (other !== undefined && (other === path || (await isSameFile(other, path))))
        throw new UsageError(`--failed-out cannot be ${file}, because the import uses this file`)
    const { columns, delimiter } = checked
    const layout = { columns, delimiter, byteOrderMark: bom || encoding !== 'utf-8' }
    await requireSameKind(file, host, 'a file of failed rows', () => hasReasons(path, format, layout, host))
    return new Rejects(format, layout, await OutputFile.open(file, host))
  }

  async add(row: Row, reason: string): Promise<void> {
    for (const given of row.rows ?? [row]) {
      // The file is in UTF-8, regardless of the encoding of the input.
      const mark = this.#isEmpty && this.layout.byteOrderMark ? byteOrderMark : ''
      const text = mark + this.#formatRow(given, reason, this.#isEmpty)
      this.#isEmpty = false
      await this.#file.write(text)
    }
  }

  #formatRow({ cells = [], fields, given = fields, source }: Row, reason: string, isFirst: boolean): string {
    switch (this.format) {
      case 'csv': {
        const { columns: names = [], delimiter = ',' } = this.layout
        // Reuses a reason column, as in an earlier file of rejects.
        const reasonIndex = names.indexOf('reason') < 0 ? names.length : names.indexOf('reason')
        const values = [...cells]
        while (values.length < reasonIndex) values.push('')
        // The reason follows surplus cells, so that no data is lost.
        values[values.length > names.length ? values.length : reasonIndex] = reason
        const header = [...names]
        header[reasonIndex] = 'reason'
        return (isFirst ? [header, values] : [values]).map((row) => csvLine(row, delimiter)).join('')
      }
      // Text that is not a JSON object cannot hold a reason.
      case 'ndjson':
        return `${source ?? writeJson({ ...given, reason })}\n`
      case 'json':
        return `${isFirst ? '[' : ','}\n${source ?? writeJson({ ...given, reason })}`
    }
  }

  /**
   * @param isComplete true to remove the file of an earlier run if no row failed
   * @returns true if a file was removed
   */
  async close(isComplete: boolean): Promise<boolean> {
    if (this.#isEmpty && isComplete) return this.#file.remove()
    if (this.#isEmpty) await this.#file.discard()
    else await this.#file.close(this.format === 'json' ? '\n]\n' : '')
    return false
  }
}

export interface FailedInput {
  source: Source
  format: InputFormat
  checked: CheckedInput
  journal: string | undefined
  flags: Pick<ImportFlags, 'failedOut' | 'encoding'>
}

/** Returns true if a file has the column or field `reason`. */
async function hasReasons(
  path: string,
  format: InputFormat,
  { delimiter = ',' }: RejectsFormat,
  host: Host,
): Promise<boolean> {
  let isFound = false
  const onHeader = (columns: readonly string[]) => {
    // The detection does not know a delimiter such as `^`.
    isFound = columns.some((column) => column.split(delimiter).includes('reason'))
  }
  try {
    for await (const rows of readRows(streamInput(path, host), format, path, '', onHeader)) {
      isFound ||= rows.some(({ fields }) => fields && 'reason' in fields)
      if (isFound || format === 'csv') break
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
  return isFound
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}
