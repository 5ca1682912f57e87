import type { Outcome } from '../../client/outcome.ts'
import type { Context } from '../kernel/context.ts'
import type { Pool } from '../pool/pool.ts'
import type { Body } from './adapter/adapter.ts'
import { Journal } from './journal/journal.ts'
import { isNoted, type JournalState } from './journal/journal-state.ts'
import { hashOf } from './journal/receipt.ts'
import { Rejects } from './journal/rejects.ts'
import { Results } from './journal/results.ts'
import type { ImportPlan } from './prepare.ts'
import { inputPlace } from './read/place.ts'
import type { Row } from './read/rows.ts'

interface Books {
  results: Results
  journal: Journal | undefined
  rejects: Rejects | undefined
}

/** Records the outcomes of rows in the tally, journal, results and rejects. */
export class Ledger {
  readonly #context: Context
  readonly #plan: ImportPlan
  readonly #pool: Pool
  readonly #books: Books

  private constructor(context: Context, plan: ImportPlan, pool: Pool, books: Books) {
    this.#context = context
    this.#plan = plan
    this.#pool = pool
    this.#books = books
  }

  static async open(context: Context, plan: ImportPlan, pool: Pool): Promise<Ledger> {
    const results = await Results.open(context)
    const journal = await openJournal(context, plan)
    try {
      const rejects = await openRejects(context, plan)
      return new Ledger(context, plan, pool, { results, journal, rejects })
    } catch (error) {
      // Nothing was sent, so a new journal is not needed.
      await journal?.close(!plan.flags.resume, 'remove')
      throw error
    }
  }

  get past(): JournalState | undefined {
    return this.#books.journal?.past
  }

  /** Records rows as about to be sent; resolves when they are on disk. */
  async sending(rows: readonly Row[]): Promise<void> {
    await this.#books.journal?.sending(rows.map(({ number }) => number))
  }

  unsent({ number }: Row): void {
    this.#books.journal?.ended({ row: number, status: 'unsent' })
  }

  /**
   * Records the outcome of a row; the promise resolves when there is space for more.
   * @throws {OutputError} when the outcome cannot be written
   */
  ended(row: Row, body: Body | undefined, outcome: Outcome<string>): Promise<void> | undefined {
    const { results, journal, rejects } = this.#books
    const { redact } = this.#context
    const { status, value } = outcome
    const isJournalled = journal !== undefined && isNoted(status)
    if (!isJournalled && !results.tells(status)) {
      this.#pool.count(outcome)
      return undefined
    }
    // A response may quote the key, which must not reach the files.
    const id = value === undefined ? undefined : redact(value)
    const error = 'error' in outcome ? redact(outcome.error.message) : undefined
    const { kind } = this.#plan
    const key = (body && (kind.label ?? kind.key)(body))?.replace('\0', ' ')
    if (isJournalled) {
      const hash = status === 'ok' && body && kind.repeats ? hashOf(body) : undefined
      journal.ended({ row: row.number, status, id, error, hash })
    }
    this.#pool.count(outcome)
    const full = results.add({
      row: row.number,
      place: () => `${inputPlace(this.#plan.source, row)}${named(key ?? body?.['name'])}`,
      key,
      status,
      id,
      error,
    })
    return rejects && (status === 'failed' || status === 'invalid')
      ? reject(rejects, row, error ?? '', full)
      : full
  }

  /**
   * Closes all files, even if one fails.
   * @param isComplete true when only failed rows remain
   * @throws {OutputError} when a file cannot be written
   */
  async close(isComplete: boolean, hasFailed: boolean): Promise<void> {
    const { results, journal, rejects } = this.#books
    const { flags, receipt } = this.#plan
    const isDone = !hasFailed && typeof flags.journal !== 'string'
    const done = receipt === undefined ? 'remove' : { receipt }
    const after = flags.receipt === false ? 'remove' : isDone ? done : 'keep'
    const failures: unknown[] = []
    for (const close of [
      () => rejects?.close(),
      () => results.close(),
      () => journal?.close(isComplete, after),
    ])
      await close()?.catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}

async function reject(rejects: Rejects, row: Row, error: string, before: Promise<void> | undefined) {
  await before
  for (const one of row.rows ?? [row]) await rejects.add(one, error)
}

async function openJournal(context: Context, plan: ImportPlan): Promise<Journal | undefined> {
  const { kind, checked, flags, journal } = plan
  if (journal === undefined) return undefined
  const { ifExists, map = [], room = null, roomIds = null, resume = false } = flags
  const { match, createMissing, encoding, delimiter, ignoreUnknown, groupBy, unblock } = flags
  const shard = flags.shard?.toString()
  const more = { match, createMissing, encoding, delimiter, ignoreUnknown, groupBy, shard, unblock }
  const others = JSON.stringify(more)
  return Journal.open(
    journal,
    {
      command: `${kind.name} import`,
      input: checked.digest,
      target: await context.services.target(),
      options: JSON.stringify([ifExists, map, room, roomIds, ...(others === '{}' ? [] : [others])]),
    },
    { rows: checked.rows, resume, host: context.host },
  )
}

async function openRejects(
  { host, flags: { dryRun } }: Context,
  plan: ImportPlan,
): Promise<Rejects | undefined> {
  const { flags, format, checked, source, journal } = plan
  if (flags.failedOut === undefined || dryRun) return undefined
  const { columns, delimiter } = checked
  const mark = flags.encoding !== undefined && flags.encoding !== 'utf-8'
  return Rejects.open(flags.failedOut, format, { columns, delimiter, mark }, host.cwd, [source.path, journal])
}

function named(name: unknown): string {
  return name === undefined ? '' : ` (${name})`
}
