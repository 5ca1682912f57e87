import type { InterruptedError, MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Tally } from './tally.ts'

/**
 * Ends a run: what stopped it is reported, where it was partly done.
 * @param fatal what stopped it before its time, beside the user
 * @returns what the command ends with; undefined when all was done
 */
export async function finishRun(
  context: Context,
  tally: Tally,
  fatal: MeetroomError | undefined,
): Promise<MeetroomError | undefined> {
  const { aborted, reason } = context.interrupt
  // Without any parts, it was stopped before it knew of them.
  const isCut = aborted && (!tally.isComplete || tally.total === 0)
  const { reported, error } = tally.ending({
    fatal: fatal ?? (isCut ? (reason as InterruptedError) : undefined),
  })
  if (reported) await context.report(reported)
  return error
}
