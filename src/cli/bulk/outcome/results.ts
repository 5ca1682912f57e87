import {
  ApiError,
  ClosedOutput,
  type MeetroomError,
  PartialError,
  UnknownOutcomeError,
} from '../../../errors.ts'
import type { Context } from '../../context.ts'
import type { Item, View } from '../../output/views.ts'

export type Status =
  | 'ok'
  | 'skipped'
  | 'failed'
  | 'unknown'
  | 'invalid'
  | 'would_create'
  | 'would_overwrite'
  | 'would_skip'
  | 'would_fail'

/** What became of one row. */
export interface Result {
  row: number
  /** Says which row it is, for people. */
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

const bad: ReadonlySet<Status> = new Set(['failed', 'unknown', 'invalid', 'would_fail'])
/** So many failures are told one by one where results are not printed. */
const mostTold = 20

interface Writer {
  page(page: { items: readonly Item[] }): Promise<void>
  end(): Promise<void>
}

/** Prints and counts the results of a run as they come. */
export class Results {
  readonly #context: Context
  readonly #writer: Writer | undefined
  readonly counts: Partial<Record<Status, number>> = {}
  /** How many rows have a result, and how many of them a bad one. */
  done = 0
  failed = 0
  #failures: Result[] = []
  #waiting: Item[] = []
  #writing: Promise<void> | undefined
  #closed = false
  /** The output cannot be written: whoever adds or closes meets it. */
  #failure: { error: unknown } | undefined

  private constructor(context: Context, writer: Writer | undefined) {
    this.#context = context
    this.#writer = writer
  }

  /** A table is for people, who want the failures and not thousands of lines that say ok. */
  static async open(context: Context): Promise<Results> {
    const printer = await context.printer()
    printer.check(resultView, true)
    const silent = printer.options.format === 'table' && !context.flags.dryRun
    return new Results(context, silent ? undefined : await printer.writer(resultView, 'results'))
  }

  /** A row that an earlier run has told of. */
  count(status: Status): void {
    this.counts[status] = (this.counts[status] ?? 0) + 1
    this.done++
    if (bad.has(status)) this.failed++
  }

  /** Resolves when there is room for more. */
  add(result: Result): Promise<void> | undefined {
    this.count(result.status)
    if (this.#failure) throw this.#failure.error
    const told = this.#writer && this.#context.format !== 'ids'
    if (!told && bad.has(result.status) && this.#failures.length < mostTold) this.#failures.push(result)
    if (!this.#writer) return undefined
    const { row, key, status, id, error } = result
    const isId = this.#context.format === 'ids' && id === undefined
    if (!isId)
      this.#waiting.push({
        row,
        key,
        status,
        ...(id === undefined ? {} : { id }),
        ...(error === undefined ? {} : { error }),
      })
    this.#writing ??= this.#write()
      .catch((error) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#writing = undefined
      })
    return this.#waiting.length > 1000 ? this.#writing : undefined
  }

  /** One write for all that came in this turn of the event loop. */
  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const items = this.#waiting
      this.#waiting = []
      await this.#unlessClosed(() => this.#writer?.page({ items }))
    }
  }

  /** The reader may go away; what was asked for is done all the same. */
  async #unlessClosed(write: () => Promise<void> | undefined): Promise<void> {
    if (this.#closed) return
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ClosedOutput)) throw error
      this.#closed = true
    }
  }

  /** Prints what is left, and the failures where they have not been printed. */
  async close(): Promise<void> {
    await this.#writing
    if (this.#failure) throw this.#failure.error
    await this.#unlessClosed(() => this.#writer?.end())
    for (const { place, status, error } of this.#failures)
      await this.#context.report(
        new ApiError(`${place()}: ${status === 'unknown' ? 'outcome unknown: ' : ''}${error}`),
      )
    const more = this.failed - this.#failures.length
    if (more > 0 && this.#failures.length > 0)
      await this.#context.notice(`and ${more} more; --failed-out FILE keeps all that failed`)
  }
}

/**
 * The error that a run with these results ends with, undefined when everything was done.
 * @param summary what was done, for people
 */
export function failureOf(results: Results, summary: string): MeetroomError | undefined {
  const {
    ok = 0,
    skipped = 0,
    unknown = 0,
    would_create = 0,
    would_overwrite = 0,
    would_skip = 0,
  } = results.counts
  if (results.failed === 0) return undefined
  if (ok + skipped + would_create + would_overwrite + would_skip > 0) return new PartialError(summary)
  return unknown > 0 ? new UnknownOutcomeError(summary) : new ApiError(summary)
}
