import { type Hint, InterruptedError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Tally } from '../pool/tally.ts'
import type { ImportAdapter } from './adapter/adapter.ts'
import type { ImportPlan } from './prepare.ts'
import { resumeCommand } from './resume-command.ts'

/**
 * Reports the result of an import and the next command.
 * @param fatal the error that ended the run early
 * @throws {MeetroomError} unless every row was imported
 */
export async function finishImport(
  context: Context,
  plan: ImportPlan,
  tally: Tally,
  fatal: MeetroomError | undefined,
): Promise<void> {
  const resume = resumeHint(plan, tally)
  const stopped = fatal ?? interruption(context, resume)
  const { reported, error } = tally.ending({
    fatal: stopped,
    hint: resume ?? (stopped ? undefined : mendHint(context, plan, tally)),
  })
  if (reported) await context.report(reported)
  // The error that stopped the run does not contain the summary.
  if (error === stopped) await context.notice(tally.summary)
  if (fatal && error === fatal && resume) await context.notice(resume)
  if (error) throw error
}

/** Formats `imported 2 of 3 users; 1 failed`, after the shard if there is one. */
export function summarizeImport(tally: Tally, plan: ImportPlan, isDryRun = false): string {
  const { shard } = plan.flags
  return `${shard ? `shard ${shard}: ` : ''}${isDryRun ? foreseen(tally, plan) : ended(tally, plan)}`
}

function foreseen(tally: Tally, { kind, flags: { ifExists } }: ImportPlan): string {
  const change =
    ifExists === 'update'
      ? `update ${tally.count('would_update')}`
      : `overwrite ${tally.count('would_overwrite')}`
  const access = (['block', 'unblock'] as const)
    .filter((verb) => tally.count(`would_${verb}`) > 0)
    .map((verb) => `, ${verb} ${tally.count(`would_${verb}`)}`)
  return `would create ${tally.count('would_create')}, ${change}${access.join('')}, skip ${tally.count('would_skip')} of ${counted(tally, kind)}; ${tally.bad} would fail`
}

function ended(tally: Tally, { kind, flags: { ifExists } }: ImportPlan): string {
  const unknown = tally.count('unknown')
  const others: [count: number, what: string][] = [
    [tally.count('skipped'), 'skipped'],
    [tally.bad - unknown, 'failed'],
    [unknown, 'with an unknown outcome'],
    [tally.untried, 'not tried'],
  ]
  // A service that overwrites on create does not report which it did.
  const tellsApart = ifExists === 'update' || (ifExists === 'overwrite' && !kind.overrides)
  const done: [count: number, what: string][] = [
    [tally.count('ok'), 'created'],
    [tally.count('overwrote'), 'overwrote'],
    [tally.count('updated'), 'updated'],
  ]
  const imported = done.reduce((sum, [count]) => sum + count, 0)
  const apart = done.filter(([count]) => count > 0).map(([count, what]) => `${what} ${count}`)
  return [
    `imported ${imported} of ${counted(tally, kind)}${tellsApart && imported > 0 ? `: ${apart.join(', ')}` : ''}`,
    ...others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
  ].join('; ')
}

function counted({ total }: Tally, { view: { noun } }: ImportAdapter): string {
  return `${total} ${total === 1 ? noun[0] : noun[1]}`
}

function resumeHint({ kind, file, flags, journal }: ImportPlan, tally: Tally): Hint | undefined {
  if (!journal || tally.untried + tally.count('unknown') === 0) return undefined
  return ['resume with: ', resumeCommand(kind.name, file, flags.given)]
}

function mendHint(context: Context, { flags }: ImportPlan, tally: Tally): string | undefined {
  const hasRejects = flags.failedOut !== undefined && !context.flags.dryRun
  return hasRejects && tally.bad > tally.count('unknown') ? `fix ${flags.failedOut} and import it` : undefined
}

function interruption({ interrupt }: Context, hint: Hint | undefined): InterruptedError | undefined {
  const { reason } = interrupt
  return reason instanceof InterruptedError ? new InterruptedError(reason.signal, { hint }) : undefined
}
