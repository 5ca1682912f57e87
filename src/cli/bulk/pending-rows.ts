import { type Status, verdictOfStatus } from '../../client/outcome.ts'
import type { Body } from './adapter/adapter.ts'
import type { JournalState } from './journal/journal-state.ts'
import type { CheckedInput } from './read/check.ts'
import type { CheckedRow } from './read/checked-row.ts'
import type { Row } from './read/rows.ts'

/** A row that is left to do. */
export interface Job {
  row: Row
  body: Body
  /** It may have been sent before, by a run that did not live to see the answer. */
  lost: boolean
  /** The id that it got in an earlier run, which could not give it all its values. */
  made: string | undefined
}

/** Told of the rows that are not left to do. */
interface Others {
  /** An earlier run did it. */
  onDone(status: Status): void
  /** It cannot be sent. */
  onInvalid(row: Row, problem: string): Promise<void> | undefined
}

/** The rows that are left to do, in their order. */
export class PendingRows {
  readonly #batches: AsyncGenerator<CheckedRow[]>
  readonly #past: JournalState | undefined
  readonly #others: Others
  #batch: readonly CheckedRow[] = []
  #next = 0

  /** @param past what an earlier run noted of the rows */
  constructor(checked: CheckedInput, past: JournalState | undefined, others: Others) {
    this.#batches = checked.again()
    this.#past = past
    this.#others = others
  }

  /** So many more of them; fewer only at the end. */
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
