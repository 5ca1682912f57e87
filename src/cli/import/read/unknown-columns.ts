import { plural, quoteNames } from '../../../api/plural.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views/views.ts'

interface ColumnsAndFields {
  kind: string
  all: readonly string[]
  /** Unknown columns. */
  columns: readonly string[]
  /** Columns that an import does not read, such as the creation time in an export. */
  ignored: readonly string[]
  known: readonly string[]
  /** Known fields that neither a column nor a default sets. */
  free: readonly string[]
  /** Required fields that neither a column nor a default sets. */
  missing: readonly string[]
  /** Flags by the field that they set in rows without a value, such as `--room ROOM`. */
  flags: Readonly<Record<string, string>>
}

/** `explainColumns` may replace the hint with one on the intended fields. */
export abstract class ColumnsError extends UsageError {
  abstract readonly found: ColumnsAndFields
  /** First rows of the file, whose values show the meaning of a column. */
  rows: readonly Item[] = []
}

export class UnknownColumnsError extends ColumnsError {
  constructor(readonly found: ColumnsAndFields) {
    const { kind, columns, known } = found
    const names = quoteNames(columns).join(', ')
    const fields = plural(columns.length, 'a field', 'the fields')
    super(`no ${kind} has ${fields} ${names}; fields are ${known.join(', ')}`, {
      hint: describeMapping(columns),
    })
  }
}

export class RequiredColumnError extends ColumnsError {
  constructor(readonly found: ColumnsAndFields) {
    const { all, missing, flags } = found
    const [first = ''] = missing
    const flag = flags[first] && `, or ${flags[first]}`
    super(`there is no column ${missing.join(' or ')}`, {
      hint: `columns are ${all.join(', ')}; pass --map to map one of them to ${first}${flag ?? ''}`,
    })
  }
}

/** Error for columns that flags name but the file lacks. */
export class MissingColumnsError extends UsageError {
  /**
   * @param message text before the word “column” or “columns”
   * @param fields fields that `--map` can name
   */
  constructor(
    message: string,
    readonly missing: readonly string[],
    readonly columns: readonly string[],
    readonly fields: readonly string[] = [],
  ) {
    const names = quoteNames(missing).join(', ')
    super(`${message} ${plural(missing.length, 'column')} ${names}`, {
      hint: `columns are ${columns.join(', ')}`,
    })
  }
}

/** Error for a roster without flags that name its columns. */
export class RosterColumnsError extends UsageError {
  constructor(
    message: string,
    readonly columns: readonly string[],
    readonly rows: readonly Item[],
  ) {
    super(message, {
      hint: `columns are ${columns.join(', ')}; name them with --rooms-from, --users-from and --role-from`,
    })
  }
}

export function describeMapping([first = '']: readonly string[]): string {
  return `pass --map to map a column to a field, --map ${quoteForShell(`${first}=`)} to ignore it, or --ignore-unknown to ignore all unknown columns`
}
