import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { readLossless, writeJson } from '../../../api/json.ts'
import type { Item } from '../../output/views/views.ts'
import type { RequestBody } from '../adapter/adapter.ts'
import type { CheckedRow } from './checked-row.ts'
import { type InputFormat, type Row, toFields } from './rows.ts'

/** Maximum number of rows in a block. Small blocks can be garbage-collected early. */
const blockRows = 64
const chunkLength = 64 * 1024
/** Maximum size of the compressed rows in memory, in bytes. */
const maxBytes = 8 * 1024 * 1024

type StoredRow = readonly [problem: string | null, row: Row] | StoredCells
type StoredCells = readonly [problem: string | null, number: number, line: number, cells: readonly string[]]

const plainJson = {
  write: (rows: readonly StoredRow[]): string => JSON.stringify(rows),
  read: (text: string): unknown => JSON.parse(text),
}
/** JSON that preserves all digits. */
const losslessJson: typeof plainJson = { write: (rows) => writeJson(rows), read: readLossless }

interface DecodeOptions {
  columns: readonly string[]
  toBody(fields: Item): RequestBody
}

/** Checked rows as compressed text, which avoids reading and checking the input again. */
export class CompressedRows {
  readonly #json: typeof plainJson
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #text = ''

  constructor(format: InputFormat) {
    this.#json = format === 'csv' ? plainJson : losslessJson
  }

  /** Discards all rows if the total compressed size exceeds the limit. */
  add(rows: readonly CheckedRow[]): void {
    for (let at = 0; this.#chunks && at < rows.length; at += blockRows) {
      this.#text += `${this.#json.write(rows.slice(at, at + blockRows).map(toStoredRow))}\n`
      if (this.#text.length >= chunkLength) this.#compress(this.#chunks)
    }
  }

  #compress(chunks: Buffer[]): void {
    const chunk = deflateRawSync(this.#text, { level: 1 })
    this.#text = ''
    this.#bytes += chunk.length
    if (this.#bytes > maxBytes) this.#chunks = undefined
    else chunks.push(chunk)
  }

  /** Returns a generator of blocks of rows; undefined if the rows were discarded. */
  read(options: DecodeOptions): Generator<CheckedRow[]> | undefined {
    return this.#chunks && this.#read(this.#chunks, options)
  }

  *#read(chunks: readonly Buffer[], { columns, toBody }: DecodeOptions): Generator<CheckedRow[]> {
    for (const block of this.#listBlocks(chunks))
      yield (this.#json.read(block) as StoredRow[]).map((stored) => {
        const row = stored.length === 2 ? stored[1] : toRow(stored, columns)
        const [problem] = stored
        return problem === null
          ? { row, body: toBody(row.fields ?? {}), problem: undefined }
          : { row, body: undefined, problem }
      })
  }

  *#listBlocks(chunks: readonly Buffer[]): Generator<string> {
    for (const chunk of chunks) yield* inflateRawSync(chunk).toString().split('\n').slice(0, -1)
    yield* this.#text.split('\n').slice(0, -1)
  }
}

function toRow([, number, line, cells]: StoredCells, columns: readonly string[]): Row {
  return { number, line, cells, fields: toFields(cells, columns) }
}

function toStoredRow({ row, problem = null }: { row: Row; problem: string | null | undefined }): StoredRow {
  const { number, line, cells } = row
  return cells && line !== undefined ? [problem, number, line, cells] : [problem, row]
}
