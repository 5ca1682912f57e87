import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Value } from './sqlite.ts'

/** Reads that may be done elsewhere. */
export interface Reads {
  /** The first row, or undefined. */
  one<Row>(sql: string, ...values: Value[]): Row | undefined | Promise<Row | undefined>
  /** All rows. */
  all<Row>(sql: string, ...values: Value[]): Row[] | Promise<Row[]>
}

interface Question {
  resolve(rows: unknown[]): void
  reject(cause: Error): void
}

/**
 * Reads a database in a thread of its own, one thing after the other: however long it takes, it holds up nobody here.
 * The thread starts with the first question, and keeps the process alive only while there is one.
 */
export class Reader implements Reads {
  readonly #file: string
  #thread: Worker | undefined
  /** What is asked and not answered yet. Answers come in the same order. */
  #questions: Question[] = []

  /** @param file the database, on disk: only there is what others see written */
  constructor(file: string) {
    this.#file = file
  }

  /** @throws what SQLite says, with its code */
  async one<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    const [row] = await this.all<Row>(sql, ...values)
    return row
  }

  /** @throws what SQLite says, with its code */
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    const thread = this.#thread ?? this.#start()
    thread.ref()
    thread.postMessage({ sql, values })
    return new Promise((resolve, reject) => {
      this.#questions.push({ resolve: (rows) => resolve(rows as Row[]), reject })
    })
  }

  close(): void {
    this.#end(new Error('the workspace is closed'))
  }

  #start(): Worker {
    // Flags of this process, those of a profiler for example, are not meant for it.
    const thread = new Worker(join(import.meta.dirname, 'reader-thread.cjs'), {
      workerData: this.#file,
      execArgv: [],
    })
    thread.on('message', ({ rows, failure }) => {
      const question = this.#questions.shift()
      if (this.#questions.length === 0) thread.unref()
      if (failure) question?.reject(Object.assign(new Error(failure.message), { code: failure.code }))
      else question?.resolve(rows)
    })
    thread.on('error', (error: Error) => this.#end(error))
    this.#thread = thread
    return thread
  }

  /** The next question starts another thread. */
  #end(cause: Error): void {
    const questions = this.#questions
    this.#questions = []
    void this.#thread?.terminate()
    this.#thread = undefined
    for (const { reject } of questions) reject(cause)
  }
}
