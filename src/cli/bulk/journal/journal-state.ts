import type { Status } from '../../../client/outcome.ts'

/** What a journal can say of a row. One that is about to be sent is `unknown` until there is an answer. */
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

/** What is written of a row once its outcome is known, or known to be unknown. */
export interface Entry {
  row: number
  status: Noted
  id?: string | undefined
  error?: string | undefined
  /** Tells in a later run that this row was created; only where creating it again would create another. */
  hash?: number | undefined
}

/** Whether a journal has a word for it. */
export function isNoted(status: Status): status is Noted {
  return (noted as readonly Status[]).includes(status)
}

/** What a journal says of the rows. */
export class JournalState {
  /** Places in `noted`, by the number of the row: a byte is enough for each of a million rows. */
  readonly #statuses: Uint8Array
  readonly #made = new Map<number, string>()

  /** @param rows how many the input has */
  constructor(rows: number) {
    this.#statuses = new Uint8Array(rows + 1)
  }

  statusOf(row: number): Noted {
    return noted[this.#statuses[row] ?? 0] ?? 'unsent'
  }

  /** The id of a row that was created but not completed. */
  madeOf(row: number): string | undefined {
    return this.#made.get(row)
  }

  /**
   * Reads one line into the state. Rows beyond the end belong to another input, which is refused later.
   * @returns false when it is no line of a journal
   */
  read(line: Record<string, unknown>): boolean {
    const { sent, to = sent, row, status, id } = line
    const place = noted.indexOf(status as Noted)
    if (isRow(row) && place >= 0) {
      // A failed row with an ID was created, although not as requested: it is looked up, and never created again.
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
