import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { readJson, writeJson } from '../../../api/json.ts'
import type { Item } from '../../output/views.ts'
import type { Body } from '../kinds/kind.ts'
import type { CheckedRow } from './checked-row.ts'
import { fieldsOfCells, type Row } from './rows.ts'

/** Number of rows that are read back at once: more would outlive a collection of garbage, which copies them. */
const blockRows = 64
/** Number of characters that are packed at once. */
const packLength = 64 * 1024

/** A row and its problem; that of a CSV by its cells. What is to be sent follows from it. */
type Kept = readonly [problem: string | null, row: Row] | KeptLine
type KeptLine = readonly [problem: string | null, number: number, line: number, cells: readonly string[]]

interface Reading {
  /** Columns of a CSV. */
  columns: readonly string[]
  bodyOf(fields: Item): Body
}

/**
 * Rows of an input that were checked, so that it is not read and checked again. They are kept as packed text: a fifth of the input,
 * where objects would take ten times as much as it.
 */
export class KeptRows {
  readonly #mostBytes: number
  /** Undefined when there were too many rows. */
  #packs: Buffer[] | undefined = []
  #bytes = 0
  /** Blocks that are not packed yet, a line each. */
  #text = ''

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Keeps the next rows; with more than there is room for, none are kept any more. */
  add(rows: readonly CheckedRow[]): void {
    for (let at = 0; this.#packs && at < rows.length; at += blockRows) {
      this.#text += `${writeJson(rows.slice(at, at + blockRows).map(keptOf))}\n`
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

  /** All rows, some at a time; undefined when not all were kept. */
  read(reading: Reading): Generator<CheckedRow[]> | undefined {
    return this.#packs && readBlocks(this.#packs, this.#text, reading)
  }
}

function* readBlocks(packs: readonly Buffer[], rest: string, reading: Reading): Generator<CheckedRow[]> {
  for (const pack of packs) yield* readText(inflateRawSync(pack).toString(), reading)
  yield* readText(rest, reading)
}

function* readText(text: string, { columns, bodyOf }: Reading): Generator<CheckedRow[]> {
  // What it holds was found to be no deeper than it may be.
  for (const block of text.split('\n').slice(0, -1))
    yield (readJson(block, Number.POSITIVE_INFINITY) as Kept[]).map((kept) => {
      const row = kept.length === 2 ? kept[1] : rowOfLine(kept, columns)
      const [problem] = kept
      return problem === null
        ? { row, body: bodyOf(row.fields ?? {}), problem: undefined }
        : { row, body: undefined, problem }
    })
}

function rowOfLine([, number, line, cells]: KeptLine, columns: readonly string[]): Row {
  return { number, line, cells, fields: fieldsOfCells(cells, columns) }
}

function keptOf({ row, problem = null }: { row: Row; problem: string | null | undefined }): Kept {
  const { number, line, cells } = row
  return cells && line !== undefined ? [problem, number, line, cells] : [problem, row]
}
