import type { Sqlite, Statement, Value } from './sqlite.ts'

/** A connection that prepares each statement once. */
export class Database {
  readonly #sqlite: Sqlite
  readonly #statements = new Map<string, Statement>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    // Several `--local` commands may run at once: each waits its turn for up to five seconds.
    sqlite.exec('PRAGMA busy_timeout = 5000')
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql)
  }

  one<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return (this.#prepared(sql).get(...values) ?? undefined) as Row | undefined
  }

  all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.#prepared(sql).all(...values) as Row[]
  }

  /** Returns how many rows changed. */
  run(sql: string, values: readonly Value[] = []): number {
    return Number(this.#prepared(sql).run(...values).changes)
  }

  close(): void {
    this.#sqlite.close()
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
