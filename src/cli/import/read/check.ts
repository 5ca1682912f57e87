import { createHash } from 'node:crypto'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views/views.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import { type CheckedRow, createRepeatCheck, RowKeys } from './checked-row.ts'
import { CompressedRows } from './compressed-rows.ts'
import { findScatteredRooms, groupRows } from './group.ts'
import { joinRows } from './joined-columns.ts'
import { listImportFields, type RowReader } from './reader.ts'
import { type InputFormat, type Row, readRows } from './rows.ts'
import { type RowFilter, selectRows } from './select-rows.ts'
import type { Shard } from './shard.ts'
import type { Source } from './source.ts'
import { splitRows } from './split-rows.ts'

export interface CheckedInput {
  /** Number of rows before merging, without empty and unselected rows. */
  rows: number
  /** Number of rows in the shard after merging. */
  shardRows: number
  /** Number of invalid rows in the shard that `--group-by` kept separate. */
  loneRows: number
  /** Number of invalid rows before merging, in all shards. */
  invalid: number
  keyless: number
  omittedFields: ReadonlyMap<string, number>
  /** Number of rows in the shard that request a termination or a block. */
  destructive: number
  trimmed: ReadonlyMap<string, number>
  /** Number of skipped rows in the shard that are equal to an earlier row. `shardRows` excludes them. */
  repeats: number
  /** Number of skipped CSV rows without values, except empty lines at the end. Other counts exclude them. */
  empty: number
  unselected: number
  lastRow: number
  digest: string
  columns: readonly string[] | undefined
  delimiter: string | undefined
  readAgain(): AsyncGenerator<CheckedRow[]>
}

interface CheckOptions {
  source: Source
  format: InputFormat
  delimiter: string | undefined
  split?: string | undefined
  filter?: RowFilter | undefined
  adapter: ImportAdapter
  memberReader: RowReader | undefined
  reader: RowReader
  shard?: Shard | undefined
  signal: AbortSignal
  onRow?: ((row: Row) => Promise<void>) | undefined
  onProblem: (row: Row, problem: string) => Promise<void>
}

/**
 * @throws {UsageError} for unusable columns or input
 * @throws the reason of `signal` after an abort
 */
export async function checkInput(options: CheckOptions): Promise<CheckedInput> {
  const { source, format, adapter, reader, shard, signal, split: separator, filter } = options
  const { onProblem, onRow, memberReader } = options
  const fingerprint = new Fingerprint()
  let columns: readonly string[] | undefined
  let delimiter: string | undefined
  const onHeader = (names: readonly string[], found: string) => {
    columns = names
    delimiter = found
    reader.checkColumns(names)
  }

  let empty = 0
  let unselected = 0
  const isSplit = (column: string) => reader.fieldOf(column) === splitFields[adapter.name]
  const rawRows = (bytes: AsyncIterable<Buffer>, header: typeof onHeader, onEmpty?: () => void) => {
    const read = readRows(bytes, format, source.name, adapter.name, header, options.delimiter, onEmpty)
    const parts =
      separator === undefined ? read : splitRows(read, { separator, isSplit, header: () => columns })
    const rows = reader.join ? joinRows(parts, reader.join) : parts
    // The rows are read several times, but counted once.
    const onDropped = onEmpty ? () => void unselected++ : () => {}
    return filter ? selectRows(rows, filter, reader.fieldOf, onDropped) : rows
  }
  const scattered = memberReader
    ? await findScatteredRooms(rawRows(source.read(), onHeader), reader)
    : new Set<number>()

  async function* readAll(bytes: AsyncIterable<Buffer>, isFirst = false) {
    const raw = isFirst ? rawRows(bytes, onHeader, () => empty++) : rawRows(bytes, () => {})
    const read = isFirst && onRow ? observeRows(raw, onRow) : raw
    for await (const rows of memberReader ? groupRows(read, reader, memberReader, scattered) : read)
      yield rows.map((row) => checkRow(row, reader))
  }

  const keyOf = ({ body }: CheckedRow) => body && adapter.keyOf(body)
  const isInShard = (checked: CheckedRow) => shard?.includes(keyOf(checked), checked.row.number) ?? true
  const keys = new RowKeys()
  const counts = new InputCounts(adapter, memberReader !== undefined)
  let invalid = 0
  const report = (row: Row, problem: string) => {
    invalid += countFileRows(row)
    return onProblem(row, problem)
  }
  const retained = new CompressedRows(format)
  for await (const batch of readAll(fingerprint.record(source.read()), true)) {
    signal.throwIfAborted()
    retained.add(batch)
    for (const checked of batch) {
      const key = keyOf(checked)
      counts.add(checked, key, isInShard(checked))
      if (key !== undefined) keys.add(key)
      if (checked.problem !== undefined) await report(checked.row, checked.problem)
    }
  }
  const digest = fingerprint.takeDigest()
  const changedError = () => new UsageError(`${source.name} changed while it was being read`)
  const suspects = keys.takeRepeated()

  const toBody = (fields: Item) => reader.toBody(reader.join?.(fields) ?? fields)
  /** Reads the rows again. Omits each row that is equal to an earlier row, and rejects other rows with its key. */
  async function* readAgain(isWanted = isInShard, omit = (_row: CheckedRow) => [] as CheckedRow[]) {
    const rejectRepeat = createRepeatCheck(keyOf, adapter.keyName, suspects)
    for await (const all of retained.read({ columns: columns ?? [], toBody }) ??
      readAll(fingerprint.verify(source.read(), changedError))) {
      // Repeats are still found, because equal keys are in the same shard.
      const batch = all.filter(isWanted)
      yield suspects.size > 0 ? batch.flatMap((checked) => rejectRepeat(checked) ?? omit(checked)) : batch
    }
  }

  // Equal hashes do not prove equal keys, so a second pass compares the keys.
  if (suspects.size > 0)
    for await (const batch of readAgain(
      () => true,
      (checked) => counts.omit(checked, isInShard(checked)),
    ))
      for (const { row, problem, isRepeat } of batch)
        if (isRepeat && problem !== undefined) await report(row, problem)
  return {
    ...counts.result(),
    empty,
    unselected,
    invalid,
    digest,
    columns,
    delimiter,
    readAgain: () => readAgain(),
  }
}

/** Field whose cells `--split` divides, by import. */
export const splitFields = { users: undefined, rooms: 'name', members: 'room_id' } as const

function checkRow(row: Row, reader: RowReader): CheckedRow {
  if (row.problem !== undefined) return { row, body: undefined, problem: row.problem }
  const { body, problem, trimmed } = reader.read(row.fields ?? {})
  return { row, body, problem, trimmed }
}

const countFileRows = ({ rows }: Row) => rows?.length ?? 1

class InputCounts {
  readonly #adapter: ImportAdapter
  /** Fields that an overwrite resets if the row omits the field. */
  readonly #optionalFields: readonly string[]
  readonly #omissions: number[]
  readonly #isGrouped: boolean
  readonly #counts = {
    rows: 0,
    shardRows: 0,
    loneRows: 0,
    lastRow: 0,
    keyless: 0,
    destructive: 0,
    repeats: 0,
  }
  readonly #trimmed = new Map<string, number>()

  constructor(adapter: ImportAdapter, isGrouped: boolean) {
    this.#adapter = adapter
    this.#isGrouped = isGrouped
    this.#optionalFields = adapter.createOverwrites ? listImportFields(adapter) : []
    this.#omissions = this.#optionalFields.map(() => 0)
  }

  add({ row, body, trimmed }: CheckedRow, key: string | undefined, isInShard: boolean): void {
    const counts = this.#counts
    counts.rows += countFileRows(row)
    counts.lastRow = Math.max(counts.lastRow, row.number)
    if (isInShard) counts.shardRows++
    if (isInShard && this.#isGrouped && !row.rows) counts.loneRows++
    if (row.trimmed) this.#countTrimmed(row.trimmed)
    if (trimmed) this.#countTrimmed(trimmed)
    if (!body) return
    if (key === undefined) counts.keyless++
    if (isInShard && this.#adapter.destructive?.isRequested(body)) counts.destructive++
    for (let i = 0; i < this.#optionalFields.length; i++)
      if (body[this.#optionalFields[i] ?? ''] === undefined)
        this.#omissions[i] = (this.#omissions[i] ?? 0) + 1
  }

  /** Removes a row that is equal to an earlier row. */
  omit({ body }: CheckedRow, isInShard: boolean): CheckedRow[] {
    if (!isInShard) return []
    this.#counts.repeats++
    this.#counts.shardRows--
    if (body && this.#adapter.destructive?.isRequested(body)) this.#counts.destructive--
    return []
  }

  #countTrimmed(fields: readonly string[]): void {
    for (const field of fields) this.#trimmed.set(field, (this.#trimmed.get(field) ?? 0) + 1)
  }

  result() {
    const omitted = this.#optionalFields.map((field, i) => [field, this.#omissions[i] ?? 0] as const)
    const omittedFields = new Map(omitted.filter(([, count]) => count > 0))
    return { ...this.#counts, omittedFields, trimmed: this.#trimmed }
  }
}

async function* observeRows(batches: AsyncIterable<Row[]>, onRow: (row: Row) => Promise<void>) {
  for await (const rows of batches) {
    for (const row of rows) await onRow(row)
    yield rows
  }
}

const blockBytes = 64 * 1024

class Fingerprint {
  readonly #blocks: string[] = []
  readonly #whole = createHash('sha256')

  /** Returns the SHA-256 of the recorded input, in hex. Can be called only once. */
  takeDigest(): string {
    return this.#whole.digest('hex')
  }

  async *record(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const block of divide(input)) {
      this.#whole.update(block)
      this.#blocks.push(digest(block))
      yield block
    }
  }

  async *verify(input: AsyncIterable<Buffer>, toError: () => Error): AsyncGenerator<Buffer> {
    let count = 0
    for await (const block of divide(input)) {
      if (this.#blocks[count++] !== digest(block)) throw toError()
      yield block
    }
    if (count < this.#blocks.length) throw toError()
  }
}

const digest = (block: Buffer) => createHash('sha256').update(block).digest('base64')

async function* divide(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of input) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (; rest.length >= blockBytes; rest = rest.subarray(blockBytes)) yield rest.subarray(0, blockBytes)
  }
  if (rest.length > 0) yield rest
}
