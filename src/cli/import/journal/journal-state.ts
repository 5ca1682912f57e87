import type { Status } from '../../../client/outcome.ts'

/** Row statuses in a journal. A row that is being sent is `unknown`. */
const journalStatuses = [
  'unsent',
  'unknown',
  'ok',
  'failed',
  'skipped',
  'overwrote',
  'updated',
] as const satisfies readonly Status[]
type JournalStatus = (typeof journalStatuses)[number]

export interface JournalEntry {
  row: number
  status: JournalStatus
  id?: string | undefined
  error?: string | undefined
  /** Hash of a created row; set only if another import would create a duplicate. */
  hash?: number | undefined
}

export function isJournalStatus(status: Status): status is JournalStatus {
  return (journalStatuses as readonly Status[]).includes(status)
}

export class JournalState {
  /** Index into `journalStatuses` by row number. One byte per row limits the memory. */
  readonly #statuses: Uint8Array
  readonly #createdIds = new Map<number, string>()

  constructor(rows: number) {
    this.#statuses = new Uint8Array(rows + 1)
  }

  statusOf(row: number): JournalStatus {
    return journalStatuses[this.#statuses[row] ?? 0] ?? 'unsent'
  }

  /** True if the outcome of at least one row of an earlier run is unknown. */
  get hasUnproven(): boolean {
    return this.#statuses.includes(journalStatuses.indexOf('unknown'))
  }

  createdIdOf(row: number): string | undefined {
    return this.#createdIds.get(row)
  }

  /** @returns false if the line is invalid */
  read(line: Record<string, unknown>): boolean {
    const { sent, to = sent, row, status, id } = line
    const index = journalStatuses.indexOf(status as JournalStatus)
    if (isRow(row) && index >= 0) {
      // An ID shows that the service created the item, so a resumed run looks up the item.
      const isCreated = typeof id === 'string' && (status === 'unknown' || status === 'failed')
      this.#statuses[row] = isCreated ? journalStatuses.indexOf('unknown') : index
      if (isCreated) this.#createdIds.set(row, id)
    } else if (isRow(sent) && isRow(to) && sent <= to)
      this.#statuses.fill(journalStatuses.indexOf('unknown'), sent, to + 1)
    else return line['end'] === true
    return true
  }
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
