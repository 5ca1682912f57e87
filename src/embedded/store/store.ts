import { storageFault } from '../common/faults.ts'
import { rebuildMissingCounts } from './counts.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { Reader } from './reader.ts'
import type { Sqlite, Value } from './sqlite.ts'
import { Write } from './write.ts'

interface StoreFile {
  path: string
  /** Opens another connection. */
  open(): Sqlite
}

/** The workspace’s data. When `write` resolves, the write is on disk. */
export class Store {
  readonly #db: Database
  readonly #file: StoreFile | undefined
  #reader: Database | undefined
  #elsewhere: Reader | undefined
  /** The writes that wait for the next commit. */
  #batch: Write[] | undefined
  #writes = 0
  #commits = 0
  #closed = false
  /** The write whose work is running. */
  #current: Write | undefined

  /**
   * Takes over an open database and brings its schema up to date.
   * @param file where the database is; undefined when that is in memory
   * @throws {UsageError} when a newer version of the program made it
   */
  constructor(sqlite: Sqlite, file?: StoreFile) {
    this.#db = new Database(sqlite)
    this.#file = file
    // What belongs to a room may be so much that it is deleted in steps: see sweeper.ts.
    this.#db.exec('PRAGMA foreign_keys = OFF')
    this.#db.exec('PRAGMA synchronous = FULL')
    migrate(this.#db)
    rebuildMissingCounts(this.#db)
  }

  /** How many writes there were: whoever sees the same number twice was alone. */
  get writes(): number {
    return this.#writes
  }

  /** Changes with every commit, of other processes too: at the same version, reads show the same. */
  get version(): string {
    const other = this.#db.one<{ data_version: number }>('PRAGMA data_version')?.data_version
    return `${this.#commits} ${other}`
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The first row, or undefined. Outside of `write`, only what is on disk shows. */
  one<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#readable().one(sql, values)
  }

  /** All rows. Outside of `write`, only what is on disk shows. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#readable().all(sql, values)
  }

  /**
   * Many rows, the quicker way. Outside of `write`, only what is on disk shows.
   * @param rest what follows the columns, from FROM on
   */
  list<Row>(columns: readonly (string & keyof Row)[], rest: string, ...values: Value[]): Row[] {
    return this.#readable().list(columns, rest, values)
  }

  /**
   * For what takes long: reads what is on disk in another thread, so that nobody waits for it. Undefined for a
   * workspace in memory, which no other thread can see.
   */
  get elsewhere(): Reader | undefined {
    if (this.#file) this.#elsewhere ??= new Reader(this.#file.path)
    return this.#elsewhere
  }

  /** Inside `write`: changes something. Returns how many rows it changed. */
  run(sql: string, ...values: Value[]): number {
    return this.#db.run(sql, values)
  }

  /** Inside `write`: adds one row. Returns its `seq`, or 0 when none was added. */
  insert(sql: string, ...values: Value[]): number {
    return this.#db.insert(sql, values)
  }

  /** Inside `write`: does something once the write is on disk. */
  afterCommit(work: () => void): void {
    this.#running().afterCommit.push(work)
  }

  /** Inside `write`: takes something in memory back if the write does not reach the disk. The latest is taken back first. */
  onRollback(work: () => void): void {
    this.#running().onRollback.push(work)
  }

  /**
   * Does some work in a transaction and resolves once it is on disk. Writes that arrive while others wait share one
   * commit, because syncing the disk is nearly the whole cost.
   * @throws what the work throws, and what SQLite says when the write cannot be stored; either way nothing has changed
   */
  write<T>(work: () => T): Promise<T> {
    if (this.#current) throw new Error('a write inside a write')
    this.#writes++
    const batch = this.#openBatch()
    const write = new Write()
    this.#current = write
    let value: T
    try {
      value = work()
      this.#db.exec('RELEASE work; SAVEPOINT work')
    } catch (error) {
      this.#current = undefined
      this.#rollBackTo(write, error)
      throw error
    }
    this.#current = undefined
    return new Promise((resolve, reject) => {
      write.resolve = () => resolve(value)
      write.reject = reject
      batch.push(write)
    })
  }

  close(): void {
    this.#commit()
    this.#closed = true
    this.#elsewhere?.close()
    this.#reader?.close()
    this.#db.close()
  }

  #running(): Write {
    if (!this.#current) throw new Error('not inside a write')
    return this.#current
  }

  /** The connection that shows what may be seen now: the one that writes also shows writes that are not on disk yet. */
  #readable(): Database {
    if (this.#current || !this.#batch) return this.#db
    if (!this.#file) {
      // In memory there is no second connection, and a commit costs nothing.
      this.#commit()
      return this.#db
    }
    this.#reader ??= new Database(this.#file.open())
    return this.#reader
  }

  #openBatch(): Write[] {
    if (!this.#batch) {
      // The savepoint is what a write that fails goes back to: each starts with one, and its commit closes the last.
      this.#db.exec('BEGIN IMMEDIATE; SAVEPOINT work')
      this.#batch = []
      setImmediate(() => this.#commit())
    }
    return this.#batch
  }

  #commit(): void {
    const batch = this.#batch
    if (!batch) return
    try {
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollBack(error)
      return
    }
    this.#batch = undefined
    this.#commits++
    for (const write of batch) write.committed()
  }

  /** Takes back one write of the batch. */
  #rollBackTo(write: Write, cause: unknown): void {
    try {
      this.#db.exec('ROLLBACK TO work')
      write.rolledBack()
    } catch (error) {
      write.rolledBack()
      // SQLite has rolled back the whole batch by itself, as it does when the disk is full.
      this.#rollBack(storageFault(cause) ? cause : error)
    }
  }

  /** Takes back the whole batch. */
  #rollBack(cause: unknown): void {
    const batch = this.#batch ?? []
    this.#batch = undefined
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // SQLite has done so by itself.
    }
    for (const write of batch.toReversed()) write.rolledBack()
    for (const write of batch) write.reject(cause)
  }
}
