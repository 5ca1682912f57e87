import type { Status } from '../../../client/outcome.ts'

/** Row statuses in a journal. A row about to be sent is `unknown` until its response. */
const noted = [
  'unsent',
  'unknown',
  'ok',
  'failed',
  'skipped',
  'overwrote',
  'updated',
] as const satisfies readonly Status[]
type Noted = (typeof noted)[number]

export interface Entry {
  row: number
  status: Noted
  id?: string | undefined
  error?: string | undefined
  /** Hash by which later runs recognize a created row; only for items that could be created twice. */
  hash?: number | undefined
}

export function isNoted(status: Status): status is Noted {
  return (noted as readonly Status[]).includes(status)
}

export class JournalState {
  /** Index into the statuses by row number; one byte per row bounds the memory. */
  readonly #statuses: Uint8Array
  readonly #made = new Map<number, string>()

  constructor(rows: number) {
    this.#statuses = new Uint8Array(rows + 1)
  }

  statusOf(row: number): Noted {
    return noted[this.#statuses[row] ?? 0] ?? 'unsent'
  }

  madeOf(row: number): string | undefined {
    return this.#made.get(row)
  }

  /**
   * Reads a line of a journal. Rows beyond the end belong to another input, which is rejected later.
   * @returns false when the line is invalid
   */
  read(line: Record<string, unknown>): boolean {
    const { sent, to = sent, row, status, id } = line
    const place = noted.indexOf(status as Noted)
    if (isRow(row) && place >= 0) {
      // A failed row with an ID was created incompletely: it is looked up, and never created again.
      const isMade = status === 'failed' && typeof id === 'string'
      this.#statuses[row] = isMade ? noted.indexOf('unknown') : place
      if (status === 'unknown' && typeof id === 'string') this.#made.set(row, id)
    } else if (isRow(sent) && isRow(to) && sent <= to)
      this.#statuses.fill(noted.indexOf('unknown'), sent, to + 1)
    else return line['end'] === true
    return true
  }
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
