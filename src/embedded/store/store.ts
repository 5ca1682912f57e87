import { damaged, fileLost, toStorageFault } from '../common/faults.ts'
import { type DatabaseFile, saveCopy } from './copy.ts'
import { Database } from './database.ts'
import { DatabaseFiles } from './file-identity.ts'
import { migrate } from './migrate.ts'
import type { Sqlite, Value } from './sqlite.ts'

/** Number of writes at which a batch is committed without waiting for more. */
const fullBatch = 256

type Columns = Readonly<Record<string, Value>>

/** Database of a workspace, with commits in batches. */
export class Store {
  readonly #db: Database
  readonly #file: DatabaseFile | undefined
  readonly #files: DatabaseFiles | undefined
  #reader: Database | undefined
  #batch: Write[] | undefined
  #closed = false
  #current: Write | undefined
  /** Changes since the savepoint. */
  #changes: Change[] = []

  /** @throws the error of `migrate`, of SQLite or of the file system */
  constructor(sqlite: Sqlite, file?: DatabaseFile) {
    this.#db = new Database(sqlite)
    this.#file = file
    // A cascading deletion can take too long for one write; `CascadeDeleter` deletes in steps.
    this.#db.exec('PRAGMA foreign_keys = OFF')
    this.#db.exec('PRAGMA synchronous = FULL')
    migrate(sqlite, (version) => file && saveCopy(file, `before-upgrade-from-schema-${version}.db`))
    this.#files = file && new DatabaseFiles(file.path)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** @throws {Fault} if writes would be lost: see `DatabaseFiles` */
  requireFiles(): void {
    if (this.#files?.areLost()) throw fileLost()
  }

  /** Outside `write`, reads only committed data. */
  one<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#readable().one(sql, values)
  }

  /** Outside `write`, reads only committed data. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#readable().all(sql, values)
  }

  /** Returns the number of changed rows. Call inside `write`. */
  run(sql: string, ...values: Value[]): number {
    return this.#change('run', sql, values)
  }

  /** Inserts a row with values by column. Returns the `seq` of the row. Call inside `write`. */
  insert(table: string, row: Columns): number {
    const names = Object.keys(row)
    const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`
    return this.#change('insert', sql, Object.values(row))
  }

  /** Sets columns of the rows with the given values. Call inside `write`. */
  update(table: string, where: Columns, row: Columns): void {
    const conditions = Object.keys(where).map((name) => `${name} = ?`)
    const changes = Object.keys(row).map((name) => `${name} = ?`)
    const sql = `UPDATE ${table} SET ${changes} WHERE ${conditions.join(' AND ')}`
    this.#change('run', sql, [...Object.values(row), ...Object.values(where)])
  }

  /** Runs `work` after the commit. Call inside `write`. */
  afterCommit(work: () => void): void {
    this.#running().afterCommit.push(work)
  }

  /** Runs `work` if the write is rolled back, in reverse order of registration. Call inside `write`. */
  onRollback(work: () => void): void {
    this.#running().onRollback.push(work)
  }

  /**
   * Runs `work` in a transaction, and resolves after the commit.
   * @throws the error of `work` or of the transaction, after the changes are undone
   * @throws the error of an `afterCommit` callback, after the commit
   */
  write<T>(work: () => T): Promise<T> {
    if (this.#current) throw new Error('a write inside a write')
    const batch = this.#openBatch()
    const write = new Write()
    const changesBefore = this.#changes.length
    this.#current = write
    let value: T
    try {
      value = work()
    } catch (error) {
      this.#current = undefined
      this.#undo(write, changesBefore, error)
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
    this.#files?.close()
    this.#reader?.close()
    this.#db.close()
  }

  #running(): Write {
    if (!this.#current) throw new Error('not inside a write')
    return this.#current
  }

  #change(kind: Change['kind'], sql: string, values: readonly Value[]): number {
    this.#running()
    const change: Change = { kind, sql, values, result: 0 }
    this.#changes.push(change)
    change.result = this.#db[kind](sql, values)
    return change.result
  }

  #readable(): Database {
    if (this.#current || !this.#batch) return this.#db
    if (!this.#file) {
      // A database in memory allows only one connection, and its commits are fast.
      this.#commit()
      return this.#db
    }
    this.#reader ??= new Database(this.#file.open())
    return this.#reader
  }

  #openBatch(): Write[] {
    if (!this.#batch) {
      // A large change reaches the log before its commit, and would hide a truncation.
      this.requireFiles()
      this.#db.exec('BEGIN IMMEDIATE; SAVEPOINT work')
      this.#batch = []
      this.#changes = []
      this.#commitSoon(this.#batch)
    }
    return this.#batch
  }

  /**
   * Commits when the batch is full or no longer grows, because a disk sync takes as long as many turns of the
   * event loop. With a sync in every turn, some of 256 new clients would wait for four seconds.
   */
  #commitSoon(batch: readonly Write[], before = 1): void {
    setImmediate(() => {
      if (batch !== this.#batch) return
      const isGrowing = batch.length > before && batch.length < fullBatch
      if (isGrowing) this.#commitSoon(batch, batch.length)
      else this.#commit()
    })
  }

  #commit(): void {
    const batch = this.#batch
    if (!batch) return
    try {
      this.requireFiles()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollBack(error)
      return
    }
    this.#files?.noteLog()
    this.#batch = undefined
    for (const write of batch) write.committed()
  }

  /**
   * Undoes a failed write by repeating the other changes since the savepoint. A savepoint for each write
   * would reduce the throughput by a seventh.
   */
  #undo(write: Write, changesBefore: number, cause: unknown): void {
    const hasChanged = this.#changes.length > changesBefore
    this.#changes.length = changesBefore
    // After a storage error, SQLite may have rolled back the whole batch.
    if (hasChanged || toStorageFault(cause))
      try {
        this.#db.exec('ROLLBACK TO work')
        for (const { kind, sql, values, result } of this.#changes)
          if (this.#db[kind](sql, values) !== result) throw damaged()
        this.#db.exec('RELEASE work; SAVEPOINT work')
        this.#changes = []
      } catch (error) {
        this.#batch?.push(write)
        this.#rollBack(toStorageFault(cause) ? cause : error)
        return
      }
    write.rolledBack()
  }

  #rollBack(cause: unknown): void {
    const batch = this.#batch ?? []
    this.#batch = undefined
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // SQLite may have rolled back already.
    }
    for (const write of batch.toReversed()) write.rolledBack()
    for (const write of batch) write.reject(cause)
  }
}

interface Change {
  kind: 'run' | 'insert'
  sql: string
  values: readonly Value[]
  result: number
}

class Write {
  readonly afterCommit: (() => void)[] = []
  readonly onRollback: (() => void)[] = []
  resolve = () => {}
  reject: (cause: unknown) => void = () => {}

  committed(): void {
    try {
      for (const work of this.afterCommit) work()
      this.resolve()
    } catch (error) {
      this.reject(error)
    }
  }

  /** Call after the changes are undone, so that the callbacks read the restored data. */
  rolledBack(): void {
    for (const work of this.onRollback.toReversed()) work()
  }
}
