import { InterruptedError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { Tally } from '../pool/tally.ts'
import type { Kind } from './kinds/kind.ts'
import { resumeCommand } from './outcome/resume-command.ts'
import type { Plan } from './prepare.ts'

/**
 * Says how far an import has come, and what to do next.
 * @param fatal what ended it before its time
 * @throws {MeetroomError} unless all was done
 */
export async function conclude(
  context: Context,
  plan: Plan,
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
  // The error that stopped the run does not say how far it had come.
  if (error === stopped) await context.notice(tally.summary)
  if (fatal && error === fatal && resume) await context.notice(resume)
  if (error) throw error
}

/** `imported 2 of 3 users; 1 failed`. */
export function inWords(tally: Tally, { view: { noun } }: Kind, isDryRun = false): string {
  const { total, untried } = tally
  const nouns = total === 1 ? noun[0] : noun[1]
  if (isDryRun)
    return `would create ${tally.count('would_create')}, overwrite ${tally.count('would_overwrite')}, skip ${tally.count('would_skip')} of ${total} ${nouns}; ${tally.bad} would fail`
  const unknown = tally.count('unknown')
  const others: [count: number, what: string][] = [
    [tally.count('skipped'), 'skipped'],
    [tally.bad - unknown, 'failed'],
    [unknown, 'with unknown outcome'],
    [untried, 'not tried'],
  ]
  return [
    `imported ${tally.count('ok')} of ${total} ${nouns}`,
    ...others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
  ].join('; ')
}

function resumeHint({ kind, file, flags, journal }: Plan, tally: Tally): string | undefined {
  if (!journal || tally.untried + tally.count('unknown') === 0) return undefined
  return `go on with: ${resumeCommand(kind.name, file, flags.given)}`
}

function mendHint(context: Context, { flags }: Plan, tally: Tally): string | undefined {
  const hasRejects = flags.failedOut !== undefined && !context.flags.dryRun
  return hasRejects && tally.bad > tally.count('unknown')
    ? `mend ${flags.failedOut} and import it`
    : undefined
}

/** The user's interrupt, which says how to go on. */
function interruption({ interrupt }: Context, hint: string | undefined): InterruptedError | undefined {
  const { reason } = interrupt
  return reason instanceof InterruptedError ? new InterruptedError(reason.signal, { hint }) : undefined
}
