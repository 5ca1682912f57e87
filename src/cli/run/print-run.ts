import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { type Hint, InterruptedError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { printAll } from './print-all.ts'
import { openRun, type Run } from './run.ts'
import type { Tally } from './tally.ts'

interface PrintedList {
  view: View
  /** Name of the list in the JSON output. */
  key: string
}

interface PrintedRun extends PrintedList {
  pages: AsyncGenerator<Page>
  /** Returns the hint for a run with failures. */
  advise?: () => Hint | undefined
  /** Returns the error of the command for the error of the run. */
  conclude?: (error: MeetroomError | undefined) => MeetroomError | undefined
}

/**
 * Prints the outcomes of a run as they arrive.
 * @throws the error of the command
 */
export async function printRun(
  context: Context,
  run: Run,
  { view, key, pages, advise, conclude = (error) => error }: PrintedRun,
): Promise<void> {
  await printAll(await context.printer(), view, key, redactReasons(context, pages))
  const error = conclude(await run.finish(advise?.()))
  const { summary } = run.tally
  if (summary !== '' && (!error || error instanceof InterruptedError)) await context.notice(summary)
  if (error) throw error
}

/** Redacts the reason of each row, because a service may include a token in an error. */
async function* redactReasons({ redact }: Context, pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, items: page.items.map((row) => redactReason(row, redact)) }
}

function redactReason(row: Item, redact: Context['redact']): Item {
  const { reason } = row
  return typeof reason === 'string' ? { ...row, reason: redact(reason) } : row
}

/** Work for one item, or an outcome that is known in advance. */
export interface Task {
  todo: ((client: Client) => Promise<Outcome<unknown>>) | Outcome<unknown>
  toRows: (ended: Outcome<unknown>) => readonly Item[]
  /** Name of the item in errors; undefined if the rows of the task contain its error. */
  item?: string
}

export const knownOutcome = ({ todo }: Task) => (typeof todo === 'function' ? undefined : todo)

export const performTask = async ({ todo }: Task, client: Client) =>
  typeof todo === 'function' ? todo(client) : todo

interface TaskRun extends PrintedList {
  tasks: readonly Task[]
  effect?: 'writes' | 'destroys'
  /** Number of further items that need no task, because they are missing. */
  absent?: number
  summarize: (tally: Tally) => string
  advise?: (ended: readonly Outcome<unknown>[]) => Hint | undefined
}

/**
 * Runs tasks concurrently and prints their rows in the order of the tasks.
 * @throws the error of the run
 */
export async function runTasks(
  context: Context,
  { tasks, view, key, effect = 'writes', absent = 0, summarize, advise }: TaskRun,
  flags: PaceFlags,
): Promise<void> {
  const { format } = (await context.printer()).options
  const run = await openRun(context, flags, { effect, total: tasks.length + absent, summarize })
  for (let i = 0; i < absent; i++) run.count({ status: 'skipped' })
  const ended: Outcome<unknown>[] = []

  async function* pages(): AsyncGenerator<Page> {
    const act = (task: Task) => performTask(task, run.client)
    for await (const [task, outcome] of run.each(tasks, act, knownOutcome)) {
      ended.push(outcome)
      // `-o ids` prints only changed items.
      const isPrinted = format !== 'ids' || outcome.status === 'ok' || outcome.status === 'updated'
      const items = isPrinted ? task.toRows(outcome) : []
      if (items.length > 0) yield { items }
      if (task.item !== undefined) await run.report(outcome, task.item)
    }
  }

  await printRun(context, run, { view, key, pages: pages(), advise: () => advise?.(ended) })
}
