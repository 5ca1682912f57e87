import type { Hint, InterruptedError, MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Tally } from './tally.ts'

/**
 * Ends a run, and reports the error that stopped a partly completed run.
 * @param fatal the error that stopped the run, unless the user interrupted it
 * @param hint advice after a run with failures
 * @returns the command's error; undefined after success
 */
export async function finishRun(
  context: Context,
  tally: Tally,
  fatal: MeetroomError | undefined,
  hint?: Hint,
): Promise<MeetroomError | undefined> {
  const { aborted, reason } = context.interrupt
  // A total of zero means that the interrupt came before the items were known.
  const isInterrupted = aborted && (!tally.isComplete || tally.total === 0)
  const { reported, error } = tally.ending({
    fatal: fatal ?? (isInterrupted ? (reason as InterruptedError) : undefined),
    hint,
  })
  if (reported) await context.reportError(reported)
  return error
}
