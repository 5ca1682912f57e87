import { extname } from 'node:path'
import { readJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views/views.ts'
import { dialectOf } from './dialect.ts'
import { elementsOf, NotAnArrayError } from './elements.ts'
import { linesOf, maxLength } from './lines.ts'

/** What stands in one row of an input. */
export interface Row {
  /** Counted from 1, without the header of a CSV. */
  number: number
  /** Where it begins; undefined in a JSON array. */
  line: number | undefined
  /** By the names of the input: text in a CSV, JSON values otherwise. Undefined when the row cannot be read. */
  fields: Item | undefined
  /** Why it cannot be read. */
  problem?: string
  /** The rows that it was put together from. */
  rows?: readonly Row[]
  /** The fields of values with white space around them, where that is known before the row is read. */
  trimmed?: readonly string[]
  /** The cells of a CSV row, as they stand there. */
  cells?: readonly string[]
  /** The line itself, when it is malformed. */
  text?: string
}

export const inputFormats = ['csv', 'ndjson', 'json'] as const
export type InputFormat = (typeof inputFormats)[number]

/**
 * The format of an input, by its name where it is not given.
 * @throws {UsageError} when the name does not tell
 */
export function inputFormatOf(path: string | undefined, given: InputFormat | undefined): InputFormat {
  const byName: Record<string, InputFormat> = {
    '.csv': 'csv',
    '.tsv': 'csv',
    '.ndjson': 'ndjson',
    '.jsonl': 'ndjson',
    '.json': 'json',
  }
  const format = given ?? byName[extname(path ?? '').toLowerCase()]
  if (format) return format
  throw new UsageError(`the format of ${path ?? 'standard input'} is not known by its name`, {
    hint: `name it with --input-format ${inputFormats.join('|')}`,
  })
}

/** Rows, some at a time: one promise a row would cost more than reading it. */
export type Batches = AsyncGenerator<Row[]>

/**
 * The rows of an input, in constant memory.
 * @param key the field that holds the rows where JSON is an object, as a list command prints it
 * @param onHeader is told the columns and the delimiter of a CSV before its first row
 * @param delimiter of a CSV; found out where it is left out
 */
export function readRows(
  bytes: AsyncIterable<Buffer>,
  format: InputFormat,
  name: string,
  key: string,
  onHeader: (columns: readonly string[], delimiter: string) => void,
  delimiter?: string,
): Batches {
  switch (format) {
    case 'csv':
      return csvRows(bytes, name, onHeader, delimiter)
    case 'ndjson':
      return ndjsonRows(bytes, name)
    case 'json':
      return jsonRows(bytes, name, key)
  }
}

async function* csvRows(
  input: AsyncIterable<Buffer>,
  name: string,
  onHeader: (columns: readonly string[], delimiter: string) => void,
  given: string | undefined,
): Batches {
  const { delimiter, skipped, bytes } = await dialectOf(input, given)
  const { parse } = await import('csv-parse')
  const { Readable, pipeline } = await import('node:stream')
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    max_record_size: maxLength,
    // Told, it would take the first line's ending for all.
    record_delimiter: ['\r\n', '\n', '\r'],
    ...({ readableHighWaterMark: 512 } as object),
  })
  // Failures of the bytes come out of the parser.
  pipeline(Readable.from(bytes, { objectMode: true }), parser, () => {})
  let columns: readonly string[] | undefined
  let number = 0
  // Counted here: the parser’s own information on each record costs as much as reading it.
  let line = 1 + skipped
  /** Carriage returns within cells, which the parser counts as lines, and no editor does. */
  let surplus = 0
  try {
    for await (const _ of readable(parser)) {
      const batch: Row[] = []
      for (let cells = read(parser); cells; cells = read(parser)) {
        const begins = line++
        for (const cell of cells) {
          if (!/[\r\n]/.test(cell)) continue
          line += count(cell, '\n')
          surplus += count(cell, '\r')
        }
        // An empty line is no row.
        if (cells.length === 1 && cells[0] === '' && columns?.length !== 1) continue
        if (!columns) {
          columns = cells.map((column) => column.trim())
          onHeader(columns, delimiter)
        } else batch.push(csvRow(++number, cells, begins, columns))
      }
      if (batch.length > 0) yield batch
    }
  } catch (error) {
    const { code, lines = 0 } = error as { code?: unknown; lines?: number }
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new UsageError(`${name}:${line}: the row is longer than 16 MB`, {
        hint: 'perhaps a quote in it is never closed',
      })
    if (typeof code !== 'string' || !/^CSV_|^INVALID_OPENING_QUOTE$/.test(code)) throw error
    const what = code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is never closed' : 'unexpected quote character'
    // The end of the file is no place to look for a quote.
    const where = code === 'CSV_QUOTE_NOT_CLOSED' ? line : lines + skipped - surplus
    throw new UsageError(`${name}:${where}: ${what}`, {
      hint: 'a cell with quotes in it is written "like ""this"" one"',
    })
  }
  if (!columns) throw new UsageError(`${name} is empty: the first line of a CSV file names its columns`)
}

/** Yields whenever there may be something to read, until the end. */
async function* readable(stream: NodeJS.ReadableStream): AsyncGenerator<void> {
  let news = false
  let ended = false
  let failure: { error: unknown } | undefined
  let wake = () => {}
  const tell = () => {
    news = true
    wake()
  }
  stream.on('readable', tell)
  stream.once('end', () => {
    ended = true
    tell()
  })
  stream.once('error', (error) => {
    failure = { error }
    tell()
  })
  for (;;) {
    if (!news)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    news = false
    if (failure) throw failure.error
    if (ended) return
    yield
  }
}

const read = (parser: NodeJS.ReadableStream) => parser.read() as unknown as string[] | null

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

function csvRow(number: number, record: string[], line: number, columns: readonly string[]): Row {
  const row = { number, line, cells: record }
  if (record.length !== columns.length)
    return {
      ...row,
      fields: undefined,
      problem: `${record.length} ${record.length === 1 ? 'cell' : 'cells'} under ${columns.length} columns`,
    }
  return { ...row, fields: fieldsOfCells(record, columns) }
}

/** What the cells of a CSV row say, by its columns. */
export function fieldsOfCells(cells: readonly string[], columns: readonly string[]): Item {
  const fields: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) fields[columns[i] ?? ''] = undefuse(cells[i] ?? '')
  return fields
}

/** Takes away the apostrophe that keeps a spreadsheet from running a cell as a formula; ours and theirs. */
function undefuse(cell: string): string {
  return cell.startsWith("'") && /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell
}

async function* ndjsonRows(bytes: AsyncIterable<Buffer>, name: string): Batches {
  let line = 0
  let number = 0
  for await (const lines of linesOf(bytes, name)) {
    const rows: Row[] = []
    for (const text of lines) {
      line++
      const bare = line === 1 ? text.replace(/^\ufeff/, '') : text
      if (bare.trim() !== '') rows.push(jsonRow(++number, line, bare))
    }
    yield rows
  }
}

function jsonRow(number: number, line: number | undefined, text: string): Row {
  try {
    const value = readJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { number, line, fields: value as Item }
    return { number, line, fields: undefined, problem: 'not a JSON object', text }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { number, line, fields: undefined, problem: 'not JSON', text }
  }
}

async function* jsonRows(bytes: AsyncIterable<Buffer>, name: string, key: string): Batches {
  let number = 0
  try {
    for await (const texts of elementsOf(bytes, key, name))
      yield texts.map((text) => jsonRow(++number, undefined, text))
  } catch (error) {
    if (!(error instanceof NotAnArrayError)) throw error
    throw new UsageError(`${name} is not a JSON array: ${error.message}`, {
      hint: `JSON input is an array of objects, or {"${key}": […]}`,
    })
  }
}
