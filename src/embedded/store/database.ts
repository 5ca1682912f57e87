import type { Sqlite, Statement, Value } from './sqlite.ts'

/** Database connection that prepares each statement only once. */
export class Database {
  readonly #sqlite: Sqlite
  readonly #statements = new Map<string, Statement>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    // Concurrent `--local` commands wait for each other for up to five seconds.
    sqlite.exec('PRAGMA busy_timeout = 5000')
    // With the default of 2 MB, a search of 100,000 users takes a third longer.
    sqlite.exec('PRAGMA cache_size = -65536')
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql)
  }

  one<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return (this.#statement(sql).get(...values) ?? undefined) as Row | undefined
  }

  all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  run(sql: string, values: readonly Value[] = []): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** Returns the row ID. */
  insert(sql: string, values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid)
  }

  close(): void {
    this.#sqlite.close()
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
