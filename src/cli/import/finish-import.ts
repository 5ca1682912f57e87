import { counted } from '../../api/plural.ts'
import { type Hint, InterruptedError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Run } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'
import { buildResumeCommand, buildSkipCommand } from './import-command.ts'
import type { Ledger } from './ledger.ts'
import type { ImportPlan } from './prepare.ts'

/**
 * Prints the summary even after a fatal error, because the import may be resumed.
 * @throws {MeetroomError} if rows failed or were not tried
 */
export async function finishImport(
  context: Context,
  plan: ImportPlan,
  run: Run,
  ledger: Pick<Ledger, 'hasSent' | 'undecided'>,
): Promise<void> {
  const { tally } = run
  const resume = suggestResume(plan, tally, ledger)
  const { reason } = context.interrupt
  if (reason instanceof InterruptedError) run.stop(new InterruptedError(reason.signal, { hint: resume }))
  const { fatal } = run
  const error = await run.finish(
    resume ?? (fatal ? undefined : suggestFix(context, plan, tally, ledger.undecided)),
  )
  if (error === fatal) {
    await context.notice(tally.summary)
    if (resume && error && error.hint !== resume) await context.notice(resume)
  }
  if (error) throw error
}

/** @param recorded number of rows that the journal of an earlier run records as done */
export function summarizeImport(tally: Tally, plan: ImportPlan, recorded: number, isDryRun: boolean): string {
  const { shard } = plan.flags
  return `${shard ? `shard ${shard}: ` : ''}${isDryRun ? describeDryRun(tally, plan) : describeRun(tally, plan, recorded)}`
}

const countItems = (tally: Tally, { adapter, checked }: ImportPlan) =>
  counted(tally.total - checked.loneRows, ...adapter.view.noun)

function describeDryRun(tally: Tally, plan: ImportPlan): string {
  const describe = (verb: 'create' | 'update' | 'overwrite' | 'block' | 'unblock' | 'skip') =>
    `${verb} ${tally.count(`would_${verb}`)}`
  const accessChanges = (['block', 'unblock'] as const).filter((verb) => tally.count(`would_${verb}`) > 0)
  const change = plan.flags.ifExists === 'update' ? 'update' : 'overwrite'
  const changes = (['create', change, ...accessChanges, 'skip'] as const).map(describe)
  return `would ${changes.join(', ')} of ${countItems(tally, plan)}; ${tally.bad} would fail`
}

function describeRun(tally: Tally, plan: ImportPlan, recorded: number): string {
  const { ifExists } = plan.flags
  // A service that overwrites existing users on create does not distinguish created from overwritten users.
  const isSplit = ifExists === 'update' || (ifExists === 'overwrite' && !plan.adapter.createOverwrites)
  const imports: [count: number, what: string][] = [
    [tally.count('ok'), 'created'],
    [tally.count('overwrote'), 'overwrote'],
    [tally.count('updated'), 'updated'],
  ]
  const imported = imports.reduce((sum, [count]) => sum + count, 0)
  const counts = imports.filter(([count]) => count > 0).map(([count, what]) => `${what} ${count}`)
  const split = isSplit && imported > 0 ? `: ${counts.join(', ')}` : ''
  return tally.describe(
    [`imported ${imported} of ${countItems(tally, plan)}${split}`],
    {},
    // Shows the rows from the journal separately, because the journal may come from another machine.
    recorded > 0 ? [`${recorded} recorded as done by an earlier run`] : [],
  )
}

function suggestResume(
  plan: ImportPlan,
  tally: Tally,
  { hasSent, undecided }: Pick<Ledger, 'hasSent' | 'undecided'>,
): Hint | undefined {
  if (!plan.journal || tally.untried + tally.count('unknown') - undecided === 0) return undefined
  const what = hasSent ? 'resume with: ' : 'nothing was sent; retry with: '
  return [what, buildResumeCommand(plan, hasSent)]
}

function suggestFix(context: Context, plan: ImportPlan, tally: Tally, undecided: number): Hint | undefined {
  const { adapter, flags } = plan
  const hasRejects = flags.failedOut !== undefined && !context.flags.dryRun
  const [one, many] = adapter.view.noun
  if (undecided > 0)
    return hasRejects
      ? `delete the rows of existing ${many} from ${flags.failedOut}, and import it`
      : `check for each row whether its ${one} exists; --failed-out FILE collects the rows`
  if (hasRejects && tally.bad > tally.count('unknown')) return `fix ${flags.failedOut} and import it`
  if (tally.conflicts === 0) return tally.missingHint
  return [`skip ${many} that exist with: `, buildSkipCommand(plan)]
}
