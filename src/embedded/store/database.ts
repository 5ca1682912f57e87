import type { JsonQuery } from './json-query.ts'
import type { Sqlite, Statement, Value } from './sqlite.ts'

/** Database connection that prepares each statement only once. */
export class Database {
  readonly #sqlite: Sqlite
  readonly #statements = new Map<string, Statement>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    // Concurrent `--local` commands wait for each other for up to five seconds.
    sqlite.exec('PRAGMA busy_timeout = 5000')
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

  toJson(sql: string, values: readonly Value[]): JsonQuery {
    return this.#statement(sql).toJson(...values)
  }

  run(sql: string, values: readonly Value[] = []): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** Inserts one row. Returns the row ID, or 0 when no row was inserted. */
  insert(sql: string, values: readonly Value[]): number {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values)
    return Number(changes) > 0 ? Number(lastInsertRowid) : 0
  }

  /** Creates a table or index. Returns 0, because SQLite reports the changes of an earlier statement. */
  define(sql: string): 0 {
    this.#sqlite.exec(sql)
    return 0
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
