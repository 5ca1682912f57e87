import { type Status, verdictOfStatus } from '../../../client/outcome.ts'
import { ApiError, ClosedOutput } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { Item, View } from '../../output/views/views.ts'

export interface Result {
  row: number
  place: () => string
  key: string | undefined
  status: Status
  id?: string | undefined
  error?: string | undefined
}

export const resultView: View = {
  noun: ['result', 'results'],
  id: 'id',
  columns: [
    { field: 'row', weight: 9 },
    { field: 'key', weight: 8 },
    { field: 'status', weight: 9 },
    { field: 'id', weight: 6 },
    { field: 'error', weight: 7 },
  ],
  fields: ['row', 'key', 'status', 'id', 'error'],
}

/** Maximum number of failures listed when results are not printed. */
export const maxReported = 20
const mostWaiting = 1000
const mostTogether = 10_000

interface Writer {
  page(page: { items: readonly Item[] }): Promise<void>
  end(): Promise<void>
}

/** Prints the results of a run as they arrive, or else the failures at its end. */
export class Results {
  readonly #context: Context
  readonly #writer: Writer | undefined
  readonly #untold: Result[] = []
  #more = 0
  #waiting: Item[] = []
  #writing: Promise<void> | undefined
  #closed = false
  #failure: { error: unknown } | undefined

  private constructor(context: Context, writer: Writer | undefined) {
    this.#context = context
    this.#writer = writer
  }

  /** Tables omit results except in dry runs, as readers need only the failures. */
  static async open(context: Context): Promise<Results> {
    const printer = await context.printer()
    printer.check(resultView, true)
    const silent = printer.options.format === 'table' && !context.flags.dryRun
    return new Results(context, silent ? undefined : await printer.writer(resultView, 'results'))
  }

  /** Returns true when a row with this status is printed or reported. */
  tells(status: Status): boolean {
    return this.#writer !== undefined || verdictOfStatus(status) === 'bad'
  }

  /**
   * Adds a result; resolves when there is space for more.
   * @throws {OutputError} when the output cannot be written
   */
  add(result: Result): Promise<void> | undefined {
    if (this.#failure) throw this.#failure.error
    this.#keep(result)
    if (!this.#writer) return undefined
    const { row, key, id, error } = result
    // Scripts expect one status for all imported rows.
    const status = result.status === 'overwrote' || result.status === 'updated' ? 'ok' : result.status
    // The format `ids` omits items without an ID.
    if (this.#context.format !== 'ids' || id !== undefined)
      this.#waiting.push({ row, key, status, id, error })
    if (this.#context.format === 'table' && this.#waiting.length < mostTogether) return undefined
    this.#writing ??= this.#write()
      .catch((error) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#writing = undefined
      })
    return this.#waiting.length > mostWaiting ? this.#writing : undefined
  }

  #keep(result: Result): void {
    const isPrinted = this.#writer && this.#context.format !== 'ids'
    if (isPrinted || verdictOfStatus(result.status) !== 'bad') return
    if (this.#untold.length < maxReported) this.#untold.push(result)
    else this.#more++
  }

  /** Combines the results of this turn of the event loop into one write. */
  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const items = this.#waiting
      this.#waiting = []
      await this.#unlessClosed(() => this.#writer?.page({ items }))
    }
  }

  async #unlessClosed(write: () => Promise<void> | undefined): Promise<void> {
    if (this.#closed) return
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ClosedOutput)) throw error
      this.#closed = true
    }
  }

  /**
   * Prints the remaining results and failures.
   * @throws {OutputError} when the output cannot be written
   */
  async close(): Promise<void> {
    await this.#writing
    if (this.#failure) throw this.#failure.error
    if (this.#waiting.length > 0) await this.#write()
    await this.#unlessClosed(() => this.#writer?.end())
    for (const { place, status, error } of this.#untold)
      await this.#context.report(
        new ApiError(`${place()}: ${status === 'unknown' ? 'outcome unknown: ' : ''}${error}`),
      )
    if (this.#more > 0)
      await this.#context.notice(`and ${this.#more} more; --failed-out FILE collects every failed row`)
  }
}
