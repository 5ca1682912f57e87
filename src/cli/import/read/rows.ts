import { extname } from 'node:path'
import { isRecord } from '../../../api/guards.ts'
import { describeJsonError, readJson } from '../../../api/json.ts'
import { counted } from '../../../api/plural.ts'
import { UsageError } from '../../../errors.ts'
import { maxLength, readLines } from '../../../files/read-lines.ts'
import type { Item } from '../../output/views/views.ts'
import { detectDialect, nameOf } from './dialect.ts'
import { NotAnArrayError, readElements } from './elements.ts'
import type { Source } from './source.ts'

export interface Row {
  /** Row number from 1; a CSV header does not count. */
  number: number
  /** Line where the row starts, from 1; undefined in the format `json`. */
  line: number | undefined
  /** Values by column, before their conversion. */
  fields: Item | undefined
  /** Values before columns were joined, if there are no cells. */
  given?: Item
  /** Reason why the row is invalid. A row with a problem is not converted. */
  problem?: string
  /** Rows that `--group-by` merged into this row. */
  rows?: readonly Row[]
  /** User ID of the member in a row that `--group-by` merged. */
  user?: string
  /** Fields whose values were trimmed when `--group-by` merged the rows. */
  trimmed?: readonly string[]
  cells?: readonly string[]
  source?: string
}

const inputFormats = ['csv', 'ndjson', 'json'] as const
export type InputFormat = (typeof inputFormats)[number]

const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

export function findFormatOf(path: string): InputFormat | undefined {
  return formatsByExtension[extname(path).toLowerCase()]
}

/** Maximum number of bytes that decide a format. */
const maxStart = 64 * 1024

/**
 * Detects the format of an input from its beginning. Text that is no JSON counts as CSV.
 * @param key field that contains the rows if the JSON input is an object
 */
export async function detectFormat(bytes: AsyncIterable<Buffer>, key: string): Promise<InputFormat> {
  let start = ''
  for await (const chunk of bytes) {
    start = (start + chunk.toString()).replace(/^[\s\ufeff]+/, '')
    if (start.includes('\n') || start.length > maxStart) break
  }
  if (start.startsWith('[')) return 'json'
  if (!start.startsWith('{')) return 'csv'
  try {
    return Array.isArray(JSON.parse(start.split('\n')[0] ?? '')[key]) ? 'json' : 'ndjson'
  } catch {
    return 'json'
  }
}

/** Rows in batches, because a promise per row takes longer than reading the row. */
type RowBatches = AsyncGenerator<Row[]>

/**
 * @param key field that contains the rows if the JSON input is an object
 * @param onHeader called after the header of a CSV, before any row
 * @throws {UsageError} for input that cannot be divided into rows
 */
export function readRows(
  bytes: AsyncIterable<Buffer>,
  format: InputFormat,
  name: string,
  key: string,
  onHeader: (columns: readonly string[], delimiter: string) => void,
  delimiter?: string,
  onEmpty?: () => void,
): RowBatches {
  switch (format) {
    case 'csv':
      return readCsvRows(bytes, name, delimiter, onHeader, onEmpty)
    case 'ndjson':
      return readNdjsonRows(bytes, name)
    case 'json':
      return readJsonRows(bytes, name, key)
  }
}

/** Number of rows after which a sample ends. */
const sampleSize = 500

/** Reads the first rows of an input, from which hints guess the meaning of its columns. */
export async function readSample(
  source: Source,
  format: InputFormat,
  delimiter?: string,
): Promise<{ columns: readonly string[]; rows: readonly Item[] }> {
  let columns: readonly string[] = []
  const onHeader = (found: readonly string[]) => {
    columns = found
  }
  const rows: Item[] = []
  for await (const batch of readRows(source.read(), format, source.name, '', onHeader, delimiter)) {
    for (const { fields } of batch) if (fields) rows.push(fields)
    if (rows.length >= sampleSize) break
  }
  return { columns, rows }
}

async function* readCsvRows(
  input: AsyncIterable<Buffer>,
  name: string,
  given: string | undefined,
  onHeader: (columns: readonly string[], delimiter: string) => void,
  onEmpty?: () => void,
): RowBatches {
  const { delimiter, skipped, bytes } = await detectDialect(input, given, name)
  const { parse } = await import('csv-parse')
  const { Readable, pipeline } = await import('node:stream')
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    max_record_size: maxLength,
    // By default, the parser expects the line ending of the first line in all lines.
    record_delimiter: ['\r\n', '\n', '\r'],
  })
  // The callback is empty because the parser also emits input errors.
  pipeline(Readable.from(bytes, { objectMode: true }), parser, () => {})
  let columns: readonly string[] | undefined
  let number = 0
  // Lines are counted here, because `info: true` of the parser doubles the parsing time.
  let line = 1 + skipped
  /** Number of carriage returns in cells. The parser counts CRLF as two line breaks. */
  let surplus = 0
  /** Number of unreported empty lines since the last row. */
  let emptyLines = 0
  try {
    for await (const _ of waitForData(parser)) {
      const batch: Row[] = []
      for (let cells = readCells(parser); cells; cells = readCells(parser)) {
        const firstLine = line++
        for (const cell of cells) {
          if (!/[\r\n]/.test(cell)) continue
          line += countCharacter(cell, '\n')
          surplus += countCharacter(cell, '\r')
        }
        // In a file with one column, an empty line is a row with an empty cell.
        if ((cells.length > 1 || columns?.length !== 1) && cells.every((cell) => cell.trim() === '')) {
          if (columns && cells.length === 1) emptyLines++
          else if (columns) onEmpty?.()
          continue
        }
        if (!columns) {
          columns = cells.map((column) => column.trim())
          onHeader(columns, delimiter)
        } else {
          for (; emptyLines > 0; emptyLines--) onEmpty?.()
          batch.push(toCsvRow(++number, cells, firstLine, { columns, delimiter }))
        }
      }
      if (batch.length > 0) yield batch
    }
  } catch (error) {
    const { code, lines = 0 } = error as { code?: unknown; lines?: number }
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new UsageError(`${name}:${line}: the row is longer than 16 MB`, {
        hint: 'check the row for a quote that is not closed',
      })
    if (typeof code !== 'string' || !/^CSV_|^INVALID_OPENING_QUOTE$/.test(code)) throw error
    const what = code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : 'unexpected quote character'
    // An unclosed quote is reported at the start of its row.
    const where = code === 'CSV_QUOTE_NOT_CLOSED' ? line : lines + skipped - surplus
    throw new UsageError(`${name}:${where}: ${what}`, {
      hint: 'double the quotes inside a quoted cell: "like ""this"" one"',
    })
  }
  if (!columns) throw new UsageError(`${name} is empty: the first line of a CSV file names its columns`)
}

async function* waitForData(stream: NodeJS.ReadableStream): AsyncGenerator<void> {
  let hasNews = false
  let ended = false
  let failure: { error: unknown } | undefined
  let wake = () => {}
  const notify = () => {
    hasNews = true
    wake()
  }
  stream.on('readable', notify)
  stream.once('end', () => {
    ended = true
    notify()
  })
  stream.once('error', (error) => {
    failure = { error }
    notify()
  })
  for (;;) {
    if (!hasNews)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    hasNews = false
    if (ended) return
    // Rows before an error are read first, because the line number of the error depends on those rows.
    yield
    if (failure) throw failure.error
  }
}

const readCells = (parser: NodeJS.ReadableStream) => parser.read() as unknown as string[] | null

const countCharacter = (text: string, character: string) => text.split(character).length - 1

function toCsvRow(
  number: number,
  record: string[],
  line: number,
  { columns, delimiter }: { columns: readonly string[]; delimiter: string },
): Row {
  const row = { number, line, cells: record }
  if (record.length === columns.length) return { ...row, fields: toFields(record, columns) }
  const fix = record.length > columns.length ? `; quote a cell that contains ${nameOf(delimiter)}` : ''
  const problem = `${counted(record.length, 'cell')} instead of ${columns.length}${fix}`
  return { ...row, fields: undefined, problem }
}

export function toFields(cells: readonly string[], columns: readonly string[]): Item {
  const fields: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) fields[columns[i] ?? ''] = unescapeFormula(cells[i] ?? '')
  return fields
}

/** Removes the apostrophe that prevents a spreadsheet from evaluating a cell as a formula. */
function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell
}

async function* readNdjsonRows(bytes: AsyncIterable<Buffer>, name: string): RowBatches {
  let line = 0
  let number = 0
  for await (const lines of readLines(bytes, name)) {
    const rows: Row[] = []
    for (const text of lines) {
      line++
      const withoutMark = line === 1 ? text.replace(/^\ufeff/, '') : text
      if (withoutMark.trim() !== '') rows.push(parseJsonRow(++number, line, withoutMark))
    }
    yield rows
  }
}

function parseJsonRow(number: number, line: number | undefined, text: string): Row {
  let problem = 'not a JSON object'
  try {
    const value = readJson(text)
    if (isRecord(value)) return { number, line, fields: value }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const isEmpty = text.trim() === ''
    problem = isEmpty ? 'there is no object; remove the comma' : `not JSON: ${describeJsonError(error, text)}`
  }
  return { number, line, fields: undefined, problem, source: text }
}

async function* readJsonRows(bytes: AsyncIterable<Buffer>, name: string, key: string): RowBatches {
  let number = 0
  try {
    for await (const texts of readElements(bytes, key, name))
      yield texts.map((text) => parseJsonRow(++number, undefined, text))
  } catch (error) {
    if (!(error instanceof NotAnArrayError)) throw error
    throw new UsageError(`${name} is not a JSON array: ${error.message}`, {
      hint: `JSON input is an array of objects, or {"${key}": […]}`,
    })
  }
}
