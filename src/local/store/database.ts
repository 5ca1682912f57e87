import type { Sqlite, Statement, Value } from './sqlite.ts'

/** A connection that prepares each statement once. */
export class Database {
  readonly #sqlite: Sqlite
  readonly #reads = new Map<string, Statement>()
  readonly #writes = new Map<string, Statement>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    // Several `--local` commands may run at once: each waits its turn for up to five seconds.
    sqlite.exec('PRAGMA busy_timeout = 5000')
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql)
  }

  one<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return (this.#read(sql).get(...values) ?? undefined) as Row | undefined
  }

  all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.#read(sql).all(...values) as Row[]
  }

  /** Returns how many rows changed. */
  run(sql: string, values: readonly Value[] = []): number {
    let statement = this.#writes.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      // Rows of a text index have large numbers.
      statement.setReadBigInts?.(true)
      this.#writes.set(sql, statement)
    }
    return Number(statement.run(...values).changes)
  }

  close(): void {
    this.#sqlite.close()
  }

  #read(sql: string): Statement {
    let statement = this.#reads.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      this.#reads.set(sql, statement)
    }
    return statement
  }
}
