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

export interface CheckedInput {
  rows: number
  share: number
  invalid: number
  keyless: number
  omitted: ReadonlyMap<string, number>
  /** Number of rows in the shard that terminate or block an existing item. */
  destructive: number
  trimmed: ReadonlyMap<string, number>
  digest: string
  columns: readonly string[] | undefined
  delimiter: string | undefined
  again(): AsyncGenerator<CheckedRow[]>
}

/** Maximum size of the compressed rows in memory, in bytes: about 400,000 users. */
const mostKept = 8 * 1024 * 1024

interface CheckOptions {
  source: Source
  format: InputFormat
  delimiter: string | undefined
  kind: ImportAdapter
  groups: boolean
  reader: RowReader
  /** The shard to import; all rows are checked. */
  shard?: Shard | undefined
  signal: AbortSignal
  onRow?: ((row: Row) => Promise<void>) | undefined
  onProblem: (row: Row, problem: string) => Promise<void>
}

/**
 * Checks every row of the input.
 * @throws {UsageError} when the input is malformed
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
  // Only full overwrites reset omitted fields.
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

  /** Yields the rows again, and marks those whose key an earlier row has. */
  async function* again(part: Shard | undefined): AsyncGenerator<CheckedRow[]> {
    const unrepeated = repeatsRefused(keyOf, kind.keyName, suspects)
    for await (const all of kept.read({ columns: columns ?? [], bodyOf: reader.bodyOf }) ?? reread()) {
      // All rows with the same key are in one shard.
      const batch = part ? all.filter((checked) => part.holds(keyOf(checked), checked.row.number)) : all
      yield suspects.size > 0 ? batch.map(unrepeated) : batch
    }
  }

  async function* reread(): AsyncGenerator<CheckedRow[]> {
    const seen = createHash('sha256')
    yield* readAll(hashed(source.read(), seen))
    if (seen.digest('hex') !== digest) throw new UsageError(`${source.name} changed while it was being read`)
  }

  // A second pass is needed only for repeated keys.
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
