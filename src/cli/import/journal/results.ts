import { andMore } from '../../../api/plural.ts'
import { judgeStatus, type Status } from '../../../client/outcome.ts'
import { ApiError, ClosedOutput } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { type RowOf, rowKinds } from '../../output/views/rows.ts'
import type { Item } from '../../output/views/views.ts'
import { maxReported } from '../read/place.ts'

export interface Result extends RowOf<'results'> {
  place: () => string
}

const maxWaiting = 1000
const maxBatch = 10_000

interface Writer {
  page(page: { items: readonly Item[] }): Promise<void>
  end(): Promise<void>
}

export class Results {
  readonly #context: Context
  readonly #writer: Writer | undefined
  readonly #unreported: Result[] = []
  #omitted = 0
  #waiting: Item[] = []
  #writing: Promise<void> | undefined
  #closed = false
  #failure: { error: unknown } | undefined

  private constructor(context: Context, writer: Writer | undefined) {
    this.#context = context
    this.#writer = writer
  }

  static async open(context: Context): Promise<Results> {
    const printer = await context.printer()
    printer.check(rowKinds.results, true)
    // A table shows results only in dry runs, because otherwise only failures matter.
    const silent = printer.options.format === 'table' && !context.flags.dryRun
    return new Results(context, silent ? undefined : await printer.writer(rowKinds.results, 'results'))
  }

  isReported(status: Status): boolean {
    return this.#writer !== undefined || judgeStatus(status) === 'bad'
  }

  /**
   * @returns promise to await before adding more results
   * @throws the error of an earlier write
   */
  add(result: Result): Promise<void> | undefined {
    if (this.#failure) throw this.#failure.error
    const isPrinted = this.#writer && this.#context.format !== 'ids'
    if (!isPrinted && judgeStatus(result.status) === 'bad') {
      if (this.#unreported.length < maxReported) this.#unreported.push(result)
      else this.#omitted++
    }
    if (!this.#writer) return undefined
    const { row, key, id, error } = result
    // Scripts expect one status for all imported rows.
    const status = result.status === 'overwrote' || result.status === 'updated' ? 'ok' : result.status
    // Without an ID, the format `ids` would print an empty line.
    if (this.#context.format !== 'ids' || id !== undefined)
      this.#waiting.push({ row, key, status, id, error } satisfies RowOf<'results'>)
    if (this.#context.format === 'table' && this.#waiting.length < maxBatch) return undefined
    this.#writing ??= this.#write()
      .catch((error) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#writing = undefined
      })
    return this.#waiting.length > maxWaiting ? this.#writing : undefined
  }

  async #write(): Promise<void> {
    // Combines the results of this event loop turn into one write.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const items = this.#waiting
      this.#waiting = []
      await this.#ignoreClosedOutput(() => this.#writer?.page({ items }))
    }
  }

  async #ignoreClosedOutput(write: () => Promise<void> | undefined): Promise<void> {
    if (this.#closed) return
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ClosedOutput)) throw error
      this.#closed = true
    }
  }

  /** @throws {OutputError} if the output cannot be written */
  async close(): Promise<void> {
    await this.#writing
    if (this.#failure) throw this.#failure.error
    if (this.#waiting.length > 0) await this.#write()
    await this.#ignoreClosedOutput(() => this.#writer?.end())
    for (const { place, status, error } of this.#unreported)
      await this.#context.reportError(
        new ApiError(`${place()}: ${status === 'unknown' ? 'outcome unknown: ' : ''}${error}`),
      )
    if (this.#omitted > 0)
      await this.#context.notice(`${andMore(this.#omitted)}; --failed-out FILE collects every failed row`)
  }
}
