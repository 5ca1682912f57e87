import { plural } from '../../../api/plural.ts'
import { UsageError } from '../../../errors.ts'

interface ColumnsAndFields {
  /** Kind of the items, such as `user`. */
  kind: string
  columns: readonly string[]
  /** Fields that columns can name. */
  known: readonly string[]
  /** Known fields that no column names. */
  free: readonly string[]
}

/** Error for columns of a file that are no fields. */
export class UnknownColumnsError extends UsageError {
  constructor(readonly found: ColumnsAndFields) {
    const { kind, columns, known } = found
    const names = columns.map((column) => `“${column}”`).join(', ')
    const fields = plural(columns.length, 'a field', 'the fields')
    super(`no ${kind} has ${fields} ${names} (fields are ${known.join(', ')})`, {
      hint: `map each: ${describeMapping(columns)}`,
    })
  }
}

/** Error for a column that a flag names and the file does not have. */
export class MissingColumnError extends UsageError {
  /** @param message text before the name of the column */
  constructor(
    message: string,
    readonly column: string,
    readonly columns: readonly string[],
  ) {
    super(`${message} “${column}”`, { hint: `columns are ${columns.join(', ')}` })
  }
}

export function describeMapping([first = '']: readonly string[]): string {
  return `--map '${first}=FIELD', or ignore it: --map '${first}='; --ignore-unknown ignores all of them`
}
