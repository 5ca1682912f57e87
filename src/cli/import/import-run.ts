import { plural } from '../../api/plural.ts'
import { judgeStatus, type Status } from '../../client/outcome.ts'
import {
  InterruptedError,
  type MeetroomError,
  NetworkError,
  toMeetroomError,
  UnknownOutcomeError,
  UsageError,
} from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { openRun, type Run, type Work } from '../run/run.ts'
import { summarizeImport } from './finish-import.ts'
import { buildUnblockCommand } from './import-command.ts'
import type { JournalState } from './journal/journal-state.ts'
import { Ledger } from './ledger.ts'
import type { ImportPlan } from './prepare.ts'
import type { CheckedInput } from './read/check.ts'
import type { CheckedRow } from './read/checked-row.ts'
import type { Row } from './read/rows.ts'
import { type PendingRow, RowSender } from './row-sender.ts'

/** @throws {MeetroomError} if the run cannot start, or a file cannot be written */
export async function runImportRows(
  context: Context,
  plan: ImportPlan,
): Promise<{ run: Run; ledger: Ledger }> {
  const { flags, checked } = plan
  const { dryRun = false } = context.flags
  const progress = { recorded: 0 }
  const run = await openRun(context, flags, {
    effect: checked.destructive > 0 ? 'destroys' : 'writes',
    total: checked.shardRows,
    summarize: (tally) => summarizeImport(tally, plan, progress.recorded, dryRun),
    // The import itself asks for confirmation.
    confirmed: true,
    shows: dryRun,
  })
  const ledger = await Ledger.open(context, plan, run)
  let isComplete = false
  try {
    await sendRows(context, plan, progress, run, ledger)
    isComplete = !run.isStopped && run.tally.count('unknown') === 0
    return { run, ledger }
  } finally {
    await ledger.close(isComplete, run.tally.bad > 0)
  }
}

async function sendRows(
  context: Context,
  plan: ImportPlan,
  progress: { recorded: number },
  run: Run,
  ledger: Ledger,
): Promise<void> {
  const { adapter, checked, flags } = plan
  const dryRun = context.flags.dryRun ?? false
  const pendingRows = new PendingRows(checked, ledger.journalState, {
    onDone(status) {
      progress.recorded++
      run.tally.add({ status })
    },
    onInvalid: (row, problem) =>
      ledger.recordOutcome(row, undefined, { status: 'invalid', error: new UsageError(problem) }),
  })
  const sender = new RowSender({
    client: run.client,
    adapter,
    ifExists: flags.ifExists,
    dryRun,
    isStopped: () => run.isStopped,
    notice: (text) => context.notice(text),
  })
  try {
    // `each` would keep the order of the rows, with a promise and an object per row.
    await run.perform(createWork(pendingRows, sender, ledger, run))
  } catch (error) {
    run.stop(toMeetroomError(error))
  } finally {
    await pendingRows.close()
    const [one, many] = adapter.view.noun
    for (const [field, count] of sender.ignoredFields)
      await context.notice(
        `warning: the API sets ${field} only when a ${one} is created; ${count} existing ${plural(count, `${one} keeps its`, `${many} keep their`)} ${field}`,
      )
    if (sender.blocked > 0) {
      const what = `${sender.blocked} of the members in the file ${plural(sender.blocked, 'is', 'are')} blocked`
      await context.notice([`${what}; unblock them with: `, buildUnblockCommand(plan)])
    }
    for (const notice of adapter.listNotices?.() ?? []) await context.notice(notice)
  }
}

function createWork(pendingRows: PendingRows, sender: RowSender, ledger: Ledger, run: Run): Work<PendingRow> {
  let consecutiveFailures = 0
  const putBack = ({ row, mayHaveBeenSent }: PendingRow) => {
    // A resumed run must still look up rows that an earlier run may have sent.
    if (!mayHaveBeenSent) ledger.recordUnsent(row)
  }
  return {
    async take() {
      const jobs = await pendingRows.take(run.concurrency)
      if (jobs.length > 0) await ledger.recordSending(jobs.map(({ row }) => row))
      return jobs
    },
    async perform(job) {
      const { row, body } = job
      // Reads the value before sending, because a failure reduces the concurrency.
      const { concurrency } = run
      const outcome = await sender.send(job)
      if (outcome.status === 'unsent') return putBack(job)
      const error = 'error' in outcome ? outcome.error : undefined
      const isTolerable = error instanceof NetworkError || error instanceof InterruptedError
      if ('error' in outcome && !isTolerable && run.stopIfFatal(outcome)) {
        if (outcome.status !== 'unknown') ledger.recordUnsent(row)
        return
      }
      const backpressure = ledger.recordOutcome(row, body, outcome)
      if (backpressure) await backpressure
      if (!error || !hasNoResponse(error)) consecutiveFailures = 0
      // Tolerates a few missing responses; many consecutive ones end the run.
      else if (++consecutiveFailures >= Math.max(5, concurrency)) throw error
    },
    putBack,
  }
}

function hasNoResponse(error: MeetroomError): boolean {
  const isConnectionError = error instanceof NetworkError || error instanceof UnknownOutcomeError
  return isConnectionError && error.request !== undefined && error.status === undefined
}

interface RowHandlers {
  onDone(status: Status): void
  onInvalid(row: Row, problem: string): Promise<void> | undefined
}

class PendingRows {
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

  /** Returns the next rows to send; fewer than `count` only at the end. */
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

/** Yields the rows whose outcome in an earlier run is unknown before all other rows. */
async function* readUnprovenFirst(
  checked: CheckedInput,
  state: JournalState | undefined,
): AsyncGenerator<CheckedRow[]> {
  if (!state?.hasUnproven) return yield* checked.readAgain()
  const isUnproven = ({ row }: CheckedRow) => state.statusOf(row.number) === 'unknown'
  for await (const batch of checked.readAgain()) yield batch.filter(isUnproven)
  for await (const batch of checked.readAgain()) yield batch.filter((row) => !isUnproven(row))
}
