import { judgeStatus, type Status } from '../../client/outcome.ts'
import type { RequestBody } from './adapter/adapter.ts'
import type { JournalState } from './journal/journal-state.ts'
import type { CheckedInput } from './read/check.ts'
import type { CheckedRow } from './read/checked-row.ts'
import type { Row } from './read/rows.ts'

export interface PendingRow {
  row: Row
  body: RequestBody
  /** True when an earlier run may have sent the row without recording a response. */
  mayHaveBeenSent: boolean
  /** ID from an earlier run that created the item without completing it. */
  createdId: string | undefined
}

interface RowHandlers {
  onDone(status: Status): void
  onInvalid(row: Row, problem: string): Promise<void> | undefined
}

export class PendingRows {
  readonly #batches: AsyncGenerator<CheckedRow[]>
  readonly #state: JournalState | undefined
  readonly #handlers: RowHandlers
  #batch: readonly CheckedRow[] = []
  #next = 0

  constructor(checked: CheckedInput, state: JournalState | undefined, handlers: RowHandlers) {
    this.#batches = readUnprovenFirst(checked, state)
    this.#state = state
    this.#handlers = handlers
  }

  /** Returns the next rows; fewer than `count` only at the end. */
  async take(count: number): Promise<PendingRow[]> {
    const jobs: PendingRow[] = []
    while (jobs.length < count) {
      const checked = this.#batch[this.#next++]
      if (!checked) {
        const { value, done } = await this.#batches.next()
        if (done) break
        this.#batch = value
        this.#next = 0
        continue
      }
      const { row, body, problem } = checked
      const status = this.#state?.statusOf(row.number)
      if (status && judgeStatus(status) === 'good') this.#handlers.onDone(status)
      else if (body)
        jobs.push({
          row,
          body,
          mayHaveBeenSent: status === 'unknown',
          createdId: this.#state?.createdIdOf(row.number),
        })
      else await this.#handlers.onInvalid(row, problem ?? '')
    }
    return jobs
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}

/** Yields the rows that an earlier run may have sent, then the others: a resumed run settles its doubts first. */
async function* readUnprovenFirst(
  checked: CheckedInput,
  state: JournalState | undefined,
): AsyncGenerator<CheckedRow[]> {
  if (!state?.hasUnproven) return yield* checked.readAgain()
  const isUnproven = ({ row }: CheckedRow) => state.statusOf(row.number) === 'unknown'
  for await (const batch of checked.readAgain()) yield batch.filter(isUnproven)
  for await (const batch of checked.readAgain()) yield batch.filter((row) => !isUnproven(row))
}
