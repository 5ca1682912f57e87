import { andMore } from '../../api/plural.ts'
import { type ErrorDetails, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { type FailedInput, Rejects } from './journal/rejects.ts'
import { maxReported } from './read/place.ts'

export class RowProblems {
  readonly #context: Context
  #count = 0

  constructor(context: Context) {
    this.#context = context
  }

  async add(place: string, problem: string): Promise<void> {
    if (this.#count++ < maxReported) await this.#context.reportError(new UsageError(`${place}: ${problem}`))
  }

  async end(): Promise<void> {
    if (this.#count > maxReported) await this.#context.notice(andMore(this.#count - maxReported))
  }
}

/**
 * Refuses the input. May first write the invalid rows to the file of `--failed-out`.
 * @throws {UsageError} always, unless a file access fails first
 */
export async function refuseInvalid(context: Context, failed: FailedInput): Promise<never> {
  const { checked, flags } = failed
  const rejects = await Rejects.open(context, failed)
  let written = 0
  if (rejects)
    try {
      for await (const batch of checked.readAgain())
        for (const { row, problem } of batch) {
          if (problem === undefined) continue
          await rejects.add(row, problem)
          written += row.rows?.length ?? 1
        }
    } finally {
      await rejects.close(false)
    }
  // The file has only the rows of the shard.
  const isWhole = written === checked.invalid
  const fix = isWhole
    ? `fix the rows in ${flags.failedOut}, which shows the reason for each row`
    : 'fix the rows'
  if (checked.invalid === checked.rows)
    throw createInvalidRowsError(checked.invalid, checked.rows, { hint: fix })
  throw createInvalidRowsError(checked.invalid, checked.rows, {
    hint: `${fix}, or pass --skip-invalid to skip them`,
    lineEdit: { before: `${fix}, or skip them with: `, add: ['--skip-invalid'] },
  })
}

export function createInvalidRowsError(invalid: number, rows: number, details: ErrorDetails): UsageError {
  return new UsageError(`invalid rows: ${invalid} of ${rows}; nothing was sent`, details)
}
