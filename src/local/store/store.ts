import { UsageError } from '../../errors.ts'
import { migrations } from './schema.ts'
import type { Sqlite, Statement, Value } from './sqlite.ts'

/** The workspace’s data. When `write` resolves, the write is on disk. */
export class Store {
  readonly #db: Sqlite
  readonly #statements = new Map<string, Statement>()
  #batch: { resolve(): void; reject(error: unknown): void }[] | undefined

  /**
   * Takes over an open database and brings its schema up to date.
   * @throws {UsageError} when a newer version of the program made it
   */
  constructor(db: Sqlite) {
    this.#db = db
    // Several `--local` commands may run at once: each waits its turn for up to five seconds.
    db.exec('PRAGMA busy_timeout = 5000')
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA synchronous = FULL')
    this.#migrate()
  }

  #migrate(): void {
    const current = () =>
      (
        this.#db.prepare('PRAGMA user_version').get() as {
          user_version: number
        }
      ).user_version
    if (current() === migrations.length) return
    if (current() > migrations.length)
      throw new UsageError('this workspace was made by a newer meetroom', {
        hint: 'update meetroom',
      })
    this.#db.exec('PRAGMA journal_mode = WAL')
    this.#db.exec('BEGIN IMMEDIATE')
    // Somebody else may have migrated while this process waited for the lock.
    for (const [i, step] of migrations.entries())
      if (i >= current()) {
        this.#db.exec(step)
        this.#db.exec(`PRAGMA user_version = ${i + 1}`)
      }
    this.#db.exec('COMMIT')
  }

  /** The first row, or undefined. */
  one<Row>(sql: string, ...values: Value[]): Row | undefined {
    return (this.#prepared(sql).get(...values) ?? undefined) as Row | undefined
  }

  /** All rows. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[]
  }

  /** Inside `write`: changes something. Returns how many rows it changed. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values).changes)
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /**
   * Does some work in a transaction and resolves once it is on disk. Writes that arrive while others wait share one
   * commit, because syncing the disk is nearly the whole cost.
   */
  write<T>(work: () => T): Promise<T> {
    if (!this.#batch) {
      this.#db.exec('BEGIN IMMEDIATE')
      this.#batch = []
      setImmediate(() => this.#commit())
    }
    this.#db.exec('SAVEPOINT work')
    let value: T
    try {
      value = work()
    } catch (error) {
      this.#db.exec('ROLLBACK TO work')
      this.#db.exec('RELEASE work')
      throw error
    }
    this.#db.exec('RELEASE work')
    const batch = this.#batch
    return new Promise((resolve, reject) => batch.push({ resolve: () => resolve(value), reject }))
  }

  /** Resolves when no write is waiting for its commit. */
  async settled(): Promise<void> {
    while (this.#batch) {
      const batch = this.#batch
      await new Promise<void>((resolve) => batch.push({ resolve, reject: () => resolve() }))
    }
  }

  #commit(): void {
    const batch = this.#batch
    if (!batch) return
    this.#batch = undefined
    try {
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { resolve } of batch) resolve()
  }

  close(): void {
    this.#commit()
    this.#db.close()
  }
}
