import { damaged } from '../common/faults.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** Iterates over the rows of a table. Unsupported values, such as blobs and long texts, are undefined. */
  rows(table: string, columns: readonly string[], maxBytes: number): Iterable<(Value | undefined)[]>
  close(): void
}

export type Value = string | number | null

export interface Statement {
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  /** @throws {Fault} if a query reads text that is not UTF-8, or an error of SQLite */
  get(...values: Value[]): unknown
  /** @throws {Fault} if a query reads text that is not UTF-8, or an error of SQLite */
  all(...values: Value[]): unknown[]
}

/** Database of a driver: `node:sqlite` or libsql. */
export interface Driver {
  exec(sql: string): unknown
  prepare(sql: string): DriverStatement
  close(): void
}

interface DriverStatement extends Statement {
  iterate(...values: Value[]): Iterable<unknown>
  /** Missing in `node:sqlite` before Node 22.16 and Node 23.11. */
  columns?(): { name: string }[]
}

/** Connection that reads stored text only as bytes: see `SafeStatement`. */
export class Connection implements Sqlite {
  readonly #driver: Driver
  /** Statement of `rows`, referenced because Node 22.13 frees a statement that only its iterator uses. */
  #iterated: DriverStatement | undefined

  constructor(driver: Driver) {
    this.#driver = driver
  }

  exec(sql: string): void {
    this.#driver.exec(sql)
  }

  prepare(sql: string): Statement {
    return new SafeStatement(this.#driver, sql)
  }

  *rows(table: string, columns: readonly string[], maxBytes: number): Generator<(Value | undefined)[]> {
    const selected = columns.map((name) => selectBytes(name, maxBytes))
    this.#iterated = this.#driver.prepare(`SELECT ${selected} FROM ${table}`)
    for (const row of this.#iterated.iterate() as Iterable<Record<string, Cell>>)
      yield columns.map((name) => decode(row[name]))
  }

  close(): void {
    this.#driver.close()
  }
}

interface JsonBytes {
  json: Uint8Array | ArrayBuffer
}

/**
 * Statement that reads rows as bytes of JSON, because drivers cannot safely convert text that is not UTF-8.
 * For many rows, reading JSON is also three times as fast.
 */
class SafeStatement implements Statement {
  readonly #driver: Driver
  readonly #sql: string
  readonly #plain: DriverStatement
  /** True for a query, which can return stored text. */
  readonly #readsText: boolean
  #names: readonly string[] | undefined
  #one: DriverStatement | undefined
  #all: DriverStatement | undefined

  constructor(driver: Driver, sql: string) {
    this.#driver = driver
    this.#sql = sql
    this.#plain = driver.prepare(sql)
    this.#readsText = /^\s*(SELECT|WITH)\b/.test(sql)
  }

  run(...values: Value[]) {
    return this.#plain.run(...values)
  }

  get(...values: Value[]): unknown {
    if (!this.#readsText) return this.#plain.get(...values)
    this.#one ??= this.#prepareJson((row) => row, values)
    const found = this.#one.get(...values) as JsonBytes | undefined
    return found && this.#toRow(parse(found))
  }

  all(...values: Value[]): unknown[] {
    if (!this.#readsText) return this.#plain.all(...values)
    this.#all ??= this.#prepareJson((row) => `json_group_array(${row})`, values)
    return parse<unknown[][]>(this.#all.get(...values) as JsonBytes).map((row) => this.#toRow(row))
  }

  #prepareJson(toJson: (row: string) => string, values: readonly Value[]): DriverStatement {
    this.#names ??= this.#nameColumns(values)
    const columns = this.#names.map((_, i) => `c${i}`).join()
    return this.#driver.prepare(
      `WITH found (${columns}) AS (${this.#sql}) SELECT CAST(${toJson(`json_array(${columns})`)} AS BLOB) AS json FROM found`,
    )
  }

  /** Converts an array of values to a row, much faster than `Object.fromEntries`. */
  #toRow(values: readonly unknown[]): unknown {
    const row: Record<string, unknown> = {}
    const names = this.#names ?? []
    for (let i = 0; i < values.length; i++) row[names[i] as string] = values[i]
    return row
  }

  #nameColumns(values: readonly Value[]): string[] {
    if (this.#plain.columns) return this.#plain.columns().map(({ name }) => name)
    // The join returns a row even if the query finds none. Drivers without `columns` read text safely.
    const sample = `SELECT found.* FROM (SELECT 1) LEFT JOIN (${this.#sql}) AS found`
    return Object.keys(this.#driver.prepare(sample).get(...values) ?? {})
  }
}

function parse<T = unknown[]>({ json }: JsonBytes): T {
  try {
    return JSON.parse(utf8.decode(json))
  } catch {
    throw damaged()
  }
}

type Cell = string | number | null | Uint8Array | ArrayBuffer

/** Selects a text as bytes, an unsupported value as a byte that is not UTF-8, and other values unchanged. */
function selectBytes(name: string, maxBytes: number): string {
  return `CASE WHEN typeof(${name}) IN ('text', 'blob') AND octet_length(${name}) > ${maxBytes} THEN x'ff'
    WHEN typeof(${name}) = 'text' THEN CAST(${name} AS BLOB)
    WHEN typeof(${name}) = 'blob' THEN x'ff'
    WHEN typeof(${name}) = 'integer' AND NOT ${name} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN x'ff' ELSE ${name} END AS ${name}`
}

function decode(value: Cell | undefined): Value | undefined {
  if (!(value instanceof ArrayBuffer) && !(value instanceof Uint8Array)) return value
  try {
    return utf8.decode(value)
  } catch {
    return undefined
  }
}
