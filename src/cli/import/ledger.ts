import { UnknownUserError } from '../../client/missing-resource.ts'
import type { Outcome } from '../../client/outcome.ts'
import { NetworkError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { describeTarget } from '../requests/find-service.ts'
import type { Run } from '../run/run.ts'
import type { RequestBody } from './adapter/adapter.ts'
import { Journal } from './journal/journal.ts'
import { isJournalStatus, type JournalState } from './journal/journal-state.ts'
import { hashBody } from './journal/receipt.ts'
import { Rejects } from './journal/rejects.ts'
import { Results } from './journal/results.ts'
import type { ImportPlan } from './prepare.ts'
import { formatInputPlace } from './read/place.ts'
import type { Row } from './read/rows.ts'
import { UndecidedRowError } from './row-sender.ts'

interface RunRecords {
  results: Results
  journal: Journal | undefined
  rejects: Rejects | undefined
}

export class Ledger {
  readonly #context: Context
  readonly #plan: ImportPlan
  readonly #run: Run
  readonly #records: RunRecords
  /** False only if neither this run nor the resumed run imported a row. */
  hasSent: boolean
  /** Number of rows that only the user can check. */
  undecided = 0

  private constructor(context: Context, plan: ImportPlan, run: Run, records: RunRecords) {
    this.#context = context
    this.#plan = plan
    this.#run = run
    this.#records = records
    this.hasSent = plan.flags.resume ?? false
  }

  static async open(context: Context, plan: ImportPlan, run: Run): Promise<Ledger> {
    const results = await Results.open(context)
    const journal = await openJournal(context, plan)
    try {
      const rejects = await Rejects.open(context, plan)
      return new Ledger(context, plan, run, { results, journal, rejects })
    } catch (error) {
      // Nothing was sent, so a new journal is not needed.
      await journal?.close(!plan.flags.resume, { keep: false })
      throw error
    }
  }

  get journalState(): JournalState | undefined {
    return this.#records.journal?.state
  }

  async recordSending(rows: readonly Row[]): Promise<void> {
    await this.#records.journal?.recordSending(rows.map(({ number }) => number))
  }

  recordUnsent({ number }: Row): void {
    this.#records.journal?.recordOutcome({ row: number, status: 'unsent' })
  }

  /**
   * @returns promise to await before recording more outcomes
   * @throws {OutputError} if an output cannot be written
   */
  recordOutcome(
    row: Row,
    body: RequestBody | undefined,
    outcome: Outcome<string>,
  ): Promise<void> | undefined {
    const { results, journal, rejects } = this.#records
    const { redact } = this.#context
    const { status, value } = outcome
    const isUndecided = 'error' in outcome && outcome.error instanceof UndecidedRowError
    if (isUndecided) this.undecided++
    const isUnsent = status === 'unsent' || status === 'invalid'
    this.hasSent ||= !isUnsent && !('error' in outcome && outcome.error instanceof NetworkError)
    const isJournaled = journal !== undefined && isJournalStatus(status)
    if (!isJournaled && !results.isReported(status)) {
      this.#run.count(outcome)
      return undefined
    }
    // A response may contain the API key, which must not be stored or printed.
    const id = value === undefined ? undefined : redact(value)
    const error = 'error' in outcome ? redact(outcome.error.message) : undefined
    const { adapter } = this.#plan
    const key = (body && (adapter.labelOf ?? adapter.keyOf)(body))?.replace('\0', ' ')
    const name = key ?? body?.['name']
    if (isJournaled) {
      const hash = status === 'ok' && body && adapter.createDuplicates ? hashBody(body) : undefined
      journal.recordOutcome({ row: row.number, status, id, error, hash })
    }
    this.#run.count(outcome)
    const backpressure = results.add({
      row: row.number,
      place: () =>
        formatInputPlace(this.#plan.source, findFailedRow(row, outcome)) +
        (name === undefined ? '' : ` (${name})`),
      key,
      status,
      id,
      error,
    })
    if (!rejects || (status !== 'failed' && status !== 'invalid' && !isUndecided)) return backpressure
    return Promise.resolve(backpressure).then(() => rejects.add(row, error ?? ''))
  }

  /** @throws the first error, after closing the other outputs */
  async close(isComplete: boolean, hasFailed: boolean): Promise<void> {
    const { results, journal, rejects } = this.#records
    const { flags, receipt } = this.#plan
    const isNamed = typeof flags.journal === 'string'
    // Without the journal or a receipt, another run could create the imported items again.
    const kept = { keep: hasFailed || isNamed, receipt: hasFailed && !isNamed ? undefined : receipt }
    const failures: unknown[] = []
    for (const close of [
      async () => {
        if (await rejects?.close(isComplete))
          await this.#context.notice(`deleted ${flags.failedOut} of an earlier run, because no row failed`)
      },
      () => results.close(),
      () => (this.hasSent ? journal?.close(isComplete, kept) : journal?.close(true, { keep: false })),
    ])
      await close()?.catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}

function findFailedRow(row: Row, outcome: Outcome<string>): Row {
  const error = 'error' in outcome ? outcome.error : undefined
  const [user] = error instanceof UnknownUserError ? error.users : []
  return row.rows?.find((merged) => merged.user === user) ?? row
}

async function openJournal(context: Context, plan: ImportPlan): Promise<Journal | undefined> {
  const { adapter, checked, flags, journal } = plan
  if (journal === undefined) return undefined
  const { ifExists, map = [], room = null, roomIds = null, resume = false } = flags
  const { match, createMissing, encoding, delimiter, ignoreUnknown, groupBy, unblock } = flags
  const { split, where, type } = flags
  const optionalText = JSON.stringify({
    ...{ match, createMissing, encoding, delimiter, ignoreUnknown, groupBy },
    ...{ shard: flags.shard?.toString(), unblock, roleMap: flags.roleMap && [...flags.roleMap] },
    ...{ split, where, type },
  })
  return Journal.open(
    journal,
    {
      command: `${adapter.name} import`,
      input: checked.digest,
      target: await describeTarget(context),
      options: JSON.stringify([
        ifExists,
        map,
        room,
        roomIds,
        ...(optionalText === '{}' ? [] : [optionalText]),
      ]),
    },
    { rows: checked.lastRow, resume, host: context.host },
  )
}
