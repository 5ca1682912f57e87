import { extname } from 'node:path'
import { readJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views/views.ts'
import { dialectOf } from './dialect.ts'
import { elementsOf, NotAnArrayError } from './elements.ts'
import { linesOf, maxLength } from './lines.ts'

export interface Row {
  /** Row number from 1, without a CSV header. */
  number: number
  /** Line where the row starts; undefined in a JSON array. */
  line: number | undefined
  /** Values by column: text in CSV, JSON values otherwise. Undefined when the row is malformed. */
  fields: Item | undefined
  problem?: string
  rows?: readonly Row[]
  /** Fields of values with surrounding white space, if known before the row is read. */
  trimmed?: readonly string[]
  cells?: readonly string[]
  text?: string
}

export const inputFormats = ['csv', 'ndjson', 'json'] as const
export type InputFormat = (typeof inputFormats)[number]

/**
 * Returns the format of an input, by its extension unless given.
 * @throws {UsageError} for an unknown extension
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

/** Rows in batches: one promise per row would cost more than reading it. */
export type Batches = AsyncGenerator<Row[]>

/**
 * Reads the rows of an input in constant memory.
 * @param key field that contains the rows of a JSON object
 * @param onHeader called with the columns and delimiter of a CSV before its first row
 * @param delimiter delimiter of a CSV; detected by default
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
    // By default, the parser applies the first line's ending to all lines.
    record_delimiter: ['\r\n', '\n', '\r'],
    ...({ readableHighWaterMark: 512 } as object),
  })
  // Errors of the input surface in the parser.
  pipeline(Readable.from(bytes, { objectMode: true }), parser, () => {})
  let columns: readonly string[] | undefined
  let number = 0
  // Counted here, because the parser's record information is as expensive as parsing.
  let line = 1 + skipped
  /** Carriage returns in cells, which the parser counts as lines and editors do not. */
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
        // Empty lines are ignored.
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
    // An unclosed quote is reported where its row starts.
    const where = code === 'CSV_QUOTE_NOT_CLOSED' ? line : lines + skipped - surplus
    throw new UsageError(`${name}:${where}: ${what}`, {
      hint: 'a cell with quotes in it is written "like ""this"" one"',
    })
  }
  if (!columns) throw new UsageError(`${name} is empty: the first line of a CSV file names its columns`)
}

/** Yields whenever data may be available, until the end. */
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

export function fieldsOfCells(cells: readonly string[], columns: readonly string[]): Item {
  const fields: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) fields[columns[i] ?? ''] = undefuse(cells[i] ?? '')
  return fields
}

/** Removes the apostrophe that prevents a spreadsheet from evaluating a cell as a formula. */
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
