import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Value } from './sqlite.ts'

export interface Reads {
  one<Row>(sql: string, ...values: Value[]): Row | undefined | Promise<Row | undefined>
  all<Row>(sql: string, ...values: Value[]): Row[] | Promise<Row[]>
}

interface PendingQuery {
  resolve(rows: unknown[]): void
  reject(cause: Error): void
}

/** Reader of a database in its own thread, which keeps the process alive only while a query is pending. */
export class Reader implements Reads {
  readonly #file: string
  #thread: Worker | undefined
  #pending: PendingQuery[] = []

  /** @param file path of the database; a database in memory is not visible to other threads */
  constructor(file: string) {
    this.#file = file
  }

  async one<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    const [row] = await this.all<Row>(sql, ...values)
    return row
  }

  all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    const thread = this.#thread ?? this.#start()
    thread.ref()
    thread.postMessage({ sql, values })
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve: (rows) => resolve(rows as Row[]), reject })
    })
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
    thread.on('message', ({ rows, failure }) => {
      const query = this.#pending.shift()
      if (this.#pending.length === 0) thread.unref()
      if (failure) query?.reject(Object.assign(new Error(failure.message), { code: failure.code }))
      else query?.resolve(rows)
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
