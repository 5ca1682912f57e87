import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { JsonBytes, JsonQuery } from './json-query.ts'
import type { Value } from './sqlite.ts'

export interface Reads {
  one<Row>(sql: string, ...values: Value[]): Row | undefined | Promise<Row | undefined>
  all<Row>(sql: string, ...values: Value[]): Row[] | Promise<Row[]>
}

interface PendingQuery {
  resolve(found: JsonBytes): void
  reject(cause: Error): void
}

/** Reader of a database in its own thread, which keeps the process alive only while a query is pending. */
export class Reader implements Reads {
  readonly #file: string
  readonly #toJson: (sql: string, values: readonly Value[]) => JsonQuery
  #thread: Worker | undefined
  #pending: PendingQuery[] = []

  /** @param file path of the database; a database in memory is not visible to other threads */
  constructor(file: string, toJson: (sql: string, values: readonly Value[]) => JsonQuery) {
    this.#file = file
    this.#toJson = toJson
  }

  async one<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    const [row] = await this.all<Row>(sql, ...values)
    return row
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    const query = this.#toJson(sql, values)
    const thread = this.#thread ?? this.#start()
    thread.ref()
    thread.postMessage({ sql: query.allSql, values })
    const found = await new Promise<JsonBytes>((resolve, reject) => {
      this.#pending.push({ resolve, reject })
    })
    return query.readAll(found) as Row[]
  }

  close(): void {
    this.#end(new Error('the workspace is closed'))
  }

  #start(): Worker {
    // The thread must not inherit Node flags of this process, such as those of a profiler.
    const thread = new Worker(join(import.meta.dirname, 'reader-thread.cjs'), {
      workerData: this.#file,
      execArgv: [],
    })
    thread.on('message', ({ json, failure }) => {
      const query = this.#pending.shift()
      if (this.#pending.length === 0) thread.unref()
      if (failure) query?.reject(Object.assign(new Error(failure.message), { code: failure.code }))
      else query?.resolve({ json })
    })
    thread.on('error', (error: Error) => this.#end(error))
    this.#thread = thread
    return thread
  }

  /** Stops the thread and rejects the pending queries. The next query starts another thread. */
  #end(cause: Error): void {
    const pending = this.#pending
    this.#pending = []
    void this.#thread?.terminate()
    this.#thread = undefined
    for (const { reject } of pending) reject(cause)
  }
}
