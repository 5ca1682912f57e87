import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { readJson, writeJson } from '../../../api/json.ts'
import type { Item } from '../../output/views/views.ts'
import type { Body } from '../adapter/adapter.ts'
import type { CheckedRow } from './checked-row.ts'
import { fieldsOfCells, type InputFormat, type Row } from './rows.ts'

/** Number of rows decoded at a time, small enough to be garbage collected early. */
const blockRows = 64
/** Number of characters compressed at a time. */
const packLength = 64 * 1024

/** A row with its problem; a CSV row as its cells. The request body is derived again. */
type Kept = readonly [problem: string | null, row: Row] | KeptLine
type KeptLine = readonly [problem: string | null, number: number, line: number, cells: readonly string[]]

const plain = {
  write: (rows: readonly Kept[]): string => JSON.stringify(rows),
  read: (text: string): unknown => JSON.parse(text),
}
/** JSON that keeps all digits of numbers. The depth was checked earlier. */
const lossless = {
  write: (rows: readonly Kept[]): string => writeJson(rows),
  read: (text: string): unknown => readJson(text, Number.POSITIVE_INFINITY),
}

interface Reading {
  columns: readonly string[]
  bodyOf(fields: Item): Body
}

/**
 * Checked rows as compressed text, so that they need not be read and checked again. Takes a fifth of the input's
 * size.
 */
export class CompressedRows {
  readonly #mostBytes: number
  readonly #json: typeof plain
  #packs: Buffer[] | undefined = []
  #bytes = 0
  #text = ''

  constructor(mostBytes: number, format: InputFormat) {
    this.#mostBytes = mostBytes
    this.#json = format === 'csv' ? plain : lossless
  }

  /** Adds rows; above the limit, all rows are discarded. */
  add(rows: readonly CheckedRow[]): void {
    for (let at = 0; this.#packs && at < rows.length; at += blockRows) {
      this.#text += `${this.#json.write(rows.slice(at, at + blockRows).map(keptOf))}\n`
      if (this.#text.length >= packLength) this.#pack(this.#packs)
    }
  }

  #pack(packs: Buffer[]): void {
    const pack = deflateRawSync(this.#text, { level: 1 })
    this.#text = ''
    this.#bytes += pack.length
    if (this.#bytes > this.#mostBytes) this.#packs = undefined
    else packs.push(pack)
  }

  /** Yields all rows in blocks; undefined when they were discarded. */
  read(reading: Reading): Generator<CheckedRow[]> | undefined {
    return this.#packs && this.#read(this.#packs, reading)
  }

  *#read(packs: readonly Buffer[], { columns, bodyOf }: Reading): Generator<CheckedRow[]> {
    for (const block of blocksOf(packs, this.#text))
      yield (this.#json.read(block) as Kept[]).map((kept) => {
        const row = kept.length === 2 ? kept[1] : rowOfLine(kept, columns)
        const [problem] = kept
        return problem === null
          ? { row, body: bodyOf(row.fields ?? {}), problem: undefined }
          : { row, body: undefined, problem }
      })
  }
}

function* blocksOf(packs: readonly Buffer[], rest: string): Generator<string> {
  for (const pack of packs) yield* linesOf(inflateRawSync(pack).toString())
  yield* linesOf(rest)
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

function rowOfLine([, number, line, cells]: KeptLine, columns: readonly string[]): Row {
  return { number, line, cells, fields: fieldsOfCells(cells, columns) }
}

function keptOf({ row, problem = null }: { row: Row; problem: string | null | undefined }): Kept {
  const { number, line, cells } = row
  return cells && line !== undefined ? [problem, number, line, cells] : [problem, row]
}
