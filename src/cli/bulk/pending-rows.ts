import { type Status, verdictOfStatus } from '../../client/outcome.ts'
import type { Body } from './adapter/adapter.ts'
import type { JournalState } from './journal/journal-state.ts'
import type { CheckedInput } from './read/check.ts'
import type { CheckedRow } from './read/checked-row.ts'
import type { Row } from './read/rows.ts'

export interface Job {
  row: Row
  body: Body
  /** True when an earlier run may have sent the row without recording a response. */
  lost: boolean
  /** ID from an earlier run that created the item without completing it. */
  made: string | undefined
}

interface Others {
  onDone(status: Status): void
  onInvalid(row: Row, problem: string): Promise<void> | undefined
}

export class PendingRows {
  readonly #batches: AsyncGenerator<CheckedRow[]>
  readonly #past: JournalState | undefined
  readonly #others: Others
  #batch: readonly CheckedRow[] = []
  #next = 0

  constructor(checked: CheckedInput, past: JournalState | undefined, others: Others) {
    this.#batches = checked.again()
    this.#past = past
    this.#others = others
  }

  /** Returns the next rows; fewer than `count` only at the end. */
  async take(count: number): Promise<Job[]> {
    const jobs: Job[] = []
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
      const status = this.#past?.statusOf(row.number)
      if (status && verdictOfStatus(status) === 'good') this.#others.onDone(status)
      else if (body)
        jobs.push({ row, body, lost: status === 'unknown', made: this.#past?.madeOf(row.number) })
      else await this.#others.onInvalid(row, problem ?? '')
    }
    return jobs
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}
