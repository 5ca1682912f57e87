import { type Hint, InterruptedError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { printAll } from './print-all.ts'
import type { Run } from './run.ts'

interface PrintedRun {
  view: View
  /** Name of the list in the JSON output. */
  key: string
  /** Pages of the outcomes, which the run produces. */
  pages: AsyncGenerator<Page>
  /** Returns advice after a run with failures. */
  advise?: () => Hint | undefined
  /** Decides at the end which error the command has. */
  conclude?: (error: MeetroomError | undefined) => MeetroomError | undefined
}

/**
 * Prints the outcomes of a run as they arrive, then the summary.
 * @throws {PartialError} when some items failed
 */
export async function printRun(
  context: Context,
  run: Run,
  { view, key, pages, advise, conclude = (error) => error }: PrintedRun,
): Promise<void> {
  await printAll(await context.printer(), view, key, pages)
  const error = conclude(await run.finish(advise?.()))
  const { summary } = run.tally
  if (summary !== '' && (!error || error instanceof InterruptedError)) await context.notice(summary)
  if (error) throw error
}

/** Redacts the reason of a row, because a service may include a token in an error. */
export function redactReason({ redact }: Context, row: Item): Item {
  const { reason } = row
  return typeof reason === 'string' ? { ...row, reason: redact(reason) } : row
}
