import { createHash } from 'node:crypto'
import { UsageError } from '../../../errors.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import { type CheckedRow, repeatsRefused } from './checked-row.ts'
import { CompressedRows } from './compressed-rows.ts'
import { grouped, scatteredNames } from './group.ts'
import { RowKeys } from './keys.ts'
import { fieldsOf, type RowReader } from './reader.ts'
import { type InputFormat, type Row, readRows } from './rows.ts'
import type { Shard } from './shard.ts'
import type { Source } from './source.ts'

/** The result of checking the whole input. */
export interface CheckedInput {
  /** Number of rows. */
  rows: number
  /** Number of those that are in the shard. */
  share: number
  /** Number of invalid rows. */
  invalid: number
  /** Number of valid rows without a key. */
  keyless: number
  /** How many rows that can be sent leave a field out, by the fields that any leaves out. */
  omitted: ReadonlyMap<string, number>
  /** Number of rows of the shard that terminate or block something if it exists. */
  destructive: number
  /** How many values had white space around them, by their fields. */
  trimmed: ReadonlyMap<string, number>
  /** SHA-256 of the bytes. */
  digest: string
  /** Columns of a CSV. */
  columns: readonly string[] | undefined
  /** What separates its cells. */
  delimiter: string | undefined
  /** Reads the input again, every row of the shard with what is to be sent or why it cannot be. */
  again(): AsyncGenerator<CheckedRow[]>
}

/** Room for so many bytes of checked rows, which are not read again: those of about 400,000 users. */
const mostKept = 8 * 1024 * 1024

interface CheckOptions {
  source: Source
  format: InputFormat
  delimiter: string | undefined
  kind: ImportAdapter
  /** Rows that follow each other and name the same room are one. */
  groups: boolean
  reader: RowReader
  /** The part of the rows that is imported; undefined for all of them. All of them are checked. */
  shard?: Shard | undefined
  /** Aborted: nobody waits for the result any more. */
  signal: AbortSignal
  /** Told of every row as it was read. */
  onRow?: ((row: Row) => Promise<void>) | undefined
  /** Told of every row that cannot be sent. */
  onProblem: (row: Row, problem: string) => Promise<void>
}

/**
 * Reads the whole input and checks every row, before anything is sent.
 * @throws {UsageError} when it is not what it is said to be
 */
export async function checkInput(options: CheckOptions): Promise<CheckedInput> {
  const { source, format, kind, reader, shard, signal, onProblem, onRow } = options
  const hash = createHash('sha256')
  let columns: readonly string[] | undefined
  let delimiter: string | undefined
  const onHeader = (names: readonly string[], found: string) => {
    columns = names
    delimiter = found
    reader.checkColumns(names)
  }

  const rawRows = (bytes: AsyncIterable<Buffer>, header: typeof onHeader) =>
    readRows(bytes, format, source.name, kind.name, header, options.delimiter)
  const scattered = options.groups
    ? await scatteredNames(rawRows(source.read(), onHeader), reader)
    : new Set<number>()

  async function* readAll(bytes: AsyncIterable<Buffer>, isFirst = false) {
    const raw = rawRows(bytes, isFirst ? onHeader : () => {})
    const read = isFirst && onRow ? watched(raw, onRow) : raw
    for await (const rows of options.groups ? grouped(read, reader, scattered) : read)
      yield rows.map((row): CheckedRow => {
        const reading = row.fields ? reader.read(row.fields) : { problem: row.problem ?? 'unreadable' }
        return 'body' in reading
          ? { row, body: reading.body, problem: undefined, trimmed: reading.trimmed }
          : { row, body: undefined, problem: reading.problem, trimmed: reading.trimmed }
      })
  }

  const keyOf = ({ body }: CheckedRow) => body && kind.key(body)
  const keys = new RowKeys()
  // Only what overwrites as a whole resets what a row leaves out.
  const optional = kind.overrides ? fieldsOf(kind) : []
  const omissions = optional.map(() => 0)
  let rows = 0
  let share = 0
  let invalid = 0
  let keyless = 0
  let destructive = 0
  const trimmed = new Map<string, number>()
  const report = (row: Row, problem: string) => {
    invalid++
    return onProblem(row, problem)
  }
  const kept = new CompressedRows(mostKept, format)
  for await (const batch of readAll(hashed(source.read(), hash), true)) {
    signal.throwIfAborted()
    kept.add(batch)
    rows += batch.length
    for (const checked of batch) {
      for (const field of [...(checked.row.trimmed ?? []), ...(checked.trimmed ?? [])])
        trimmed.set(field, (trimmed.get(field) ?? 0) + 1)
      const key = keyOf(checked)
      const isOurs = shard === undefined || shard.holds(key, checked.row.number)
      if (isOurs) share++
      if (key !== undefined) keys.add(key)
      else if (checked.body) keyless++
      if (isOurs && checked.body && kind.destructive?.asks(checked.body)) destructive++
      if (checked.body)
        for (let i = 0; i < optional.length; i++)
          if (checked.body[optional[i] ?? ''] === undefined) omissions[i] = (omissions[i] ?? 0) + 1
      if (checked.problem !== undefined) await report(checked.row, checked.problem)
    }
  }
  const digest = hash.digest('hex')
  const suspects = keys.repeated()

  /** The rows again, where a key may repeat with the row that had it first. */
  async function* again(part: Shard | undefined): AsyncGenerator<CheckedRow[]> {
    const unrepeated = repeatsRefused(keyOf, kind.keyName, suspects)
    for await (const all of kept.read({ columns: columns ?? [], bodyOf: reader.bodyOf }) ?? reread()) {
      // A key is in one shard, with all of its repetitions.
      const batch = part ? all.filter((checked) => part.holds(keyOf(checked), checked.row.number)) : all
      yield suspects.size > 0 ? batch.map(unrepeated) : batch
    }
  }

  async function* reread(): AsyncGenerator<CheckedRow[]> {
    const seen = createHash('sha256')
    yield* readAll(hashed(source.read(), seen))
    if (seen.digest('hex') !== digest) throw new UsageError(`${source.name} changed while it was being read`)
  }

  // Most inputs have no key twice, and need no second look.
  if (suspects.size > 0)
    for await (const batch of again(undefined))
      for (const { row, problem, repeats } of batch)
        if (repeats && problem !== undefined) await report(row, problem)
  return {
    rows,
    share,
    invalid,
    keyless,
    omitted: new Map(
      optional.map((field, i) => [field, omissions[i] ?? 0] as const).filter(([, count]) => count > 0),
    ),
    destructive,
    trimmed,
    digest,
    columns,
    delimiter,
    again: () => again(shard),
  }
}

/** The same rows, each shown to somebody first. */
async function* watched(batches: AsyncIterable<Row[]>, onRow: (row: Row) => Promise<void>) {
  for await (const rows of batches) {
    for (const row of rows) await onRow(row)
    yield rows
  }
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: { update(data: Buffer): unknown }) {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}
