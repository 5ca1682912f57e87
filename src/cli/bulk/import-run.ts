import {
  AuditError,
  AuthError,
  type MeetroomError,
  NetworkError,
  toMeetroomError,
  UnknownOutcomeError,
  UsageError,
  WrongBaseUrlError,
} from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Work } from '../pool/jobs.ts'
import { openPool, type Pool } from '../pool/pool.ts'
import type { Tally } from '../pool/tally.ts'
import { Ledger } from './ledger.ts'
import { type Job, PendingRows } from './pending-rows.ts'
import type { ImportPlan } from './prepare.ts'
import { unblockCommand } from './resume-command.ts'
import { RowSender } from './row-sender.ts'

/**
 * Sends the pending rows of an import.
 * @returns the error that ended the run early
 * @throws {UsageError or OutputError} when the journal, rejects or results cannot be written
 */
export async function runImportRows(
  context: Context,
  plan: ImportPlan,
  tally: Tally,
): Promise<MeetroomError | undefined> {
  // The import has asked for confirmation once for all rows.
  const shows = context.flags.dryRun ?? false
  const pool = await openPool(context, plan.flags, tally, { confirmed: true, shows })
  const ledger = await Ledger.open(context, plan, pool)
  let isComplete = false
  try {
    const fatal = await run(context, plan, tally, pool, ledger)
    isComplete = !fatal && !pool.isStopped && tally.count('unknown') === 0
    return fatal
  } finally {
    await ledger.close(isComplete, tally.bad > 0)
  }
}

async function run(
  context: Context,
  plan: ImportPlan,
  tally: Tally,
  pool: Pool,
  ledger: Ledger,
): Promise<MeetroomError | undefined> {
  const { kind, checked, flags } = plan
  const dryRun = context.flags.dryRun ?? false
  const remaining = new PendingRows(checked, ledger.past, {
    onDone: (status) => tally.add({ status }),
    onInvalid: (row, problem) =>
      ledger.ended(row, undefined, { status: 'invalid', error: new UsageError(problem) }),
  })
  const sender = new RowSender({
    client: pool.client,
    kind,
    ifExists: flags.ifExists,
    dryRun,
    notice: (text) => context.notice(text),
  })
  try {
    await pool.run(workOn(remaining, sender, ledger, flags))
    return undefined
  } catch (error) {
    return toMeetroomError(error)
  } finally {
    await remaining.close()
    await tellKept(context, kind.view.noun, sender.kept)
    await tellBlocked(context, plan, sender.blocked)
    for (const notice of kind.notices?.() ?? []) await context.notice(notice)
  }
}

async function tellKept(
  context: Context,
  [one, many]: readonly [string, string],
  kept: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [field, count] of kept)
    await context.notice(
      `warning: the API sets ${field} only when a ${one} is created; ${count === 1 ? `1 existing ${one} keeps its own` : `${count} existing ${many} keep theirs`}`,
    )
}

/** Reports members that stay blocked, and the command that unblocks them. */
async function tellBlocked(
  context: Context,
  { kind, file, flags }: ImportPlan,
  count: number,
): Promise<void> {
  if (count === 0) return
  const what = `${count} of them ${count === 1 ? 'is' : 'are'} blocked`
  await context.notice([`${what}; unblock with: `, unblockCommand(kind.name, file, flags.given)])
}

function workOn(
  remaining: PendingRows,
  sender: RowSender,
  ledger: Ledger,
  { concurrency }: { concurrency: number },
): Work<Job> {
  let unanswered = 0
  const putBack = ({ row, lost }: Job) => {
    // Rows that an earlier run may have sent must still be looked up.
    if (!lost) ledger.unsent(row)
  }
  return {
    async take() {
      const jobs = await remaining.take(concurrency)
      if (jobs.length > 0) await ledger.sending(jobs.map(({ row }) => row))
      return jobs
    },
    // Throws errors that would recur for the remaining rows.
    async perform(job) {
      const { row, body } = job
      const outcome = await sender.send(job)
      if (outcome.status === 'unsent') return putBack(job)
      const error = 'error' in outcome ? outcome.error : undefined
      if (error && [AuditError, AuthError, WrongBaseUrlError].some((kind) => error instanceof kind)) {
        if (outcome.status !== 'unknown') ledger.unsent(row)
        throw error
      }
      const full = ledger.ended(row, body, outcome)
      if (full) await full
      if (!error || !isUnanswered(error)) unanswered = 0
      // A single lost connection is tolerated; many in a row end the run.
      else if (++unanswered >= Math.max(5, concurrency)) throw error
    },
    putBack,
  }
}

function isUnanswered(error: MeetroomError): boolean {
  const isNoAnswer = error instanceof NetworkError || error instanceof UnknownOutcomeError
  return isNoAnswer && error.request !== undefined && error.status === undefined
}
