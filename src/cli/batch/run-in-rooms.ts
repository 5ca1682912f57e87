import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { Hint } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { printRun, redactReason } from '../run/print-run.ts'
import { openRun } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'

/** Work in one room: a request, or an outcome that is known in advance. */
export interface RoomTask {
  todo: ((client: Client) => Promise<Outcome<unknown>>) | Outcome<unknown>
  toRow(ended: Outcome<unknown>): Item
}

interface RoomRun {
  tasks: readonly RoomTask[]
  view: View
  /** Name of the list in the JSON output. */
  key: string
  summarize: (tally: Tally) => string
  /** Returns advice after a run with failures. */
  advise: (ended: readonly Outcome<unknown>[]) => Hint | undefined
}

/**
 * Runs one task per room concurrently and prints a row for each, in the order of the tasks.
 * @throws {PartialError} when some rooms failed
 */
export async function runInRooms(
  context: Context,
  { tasks, view, key, summarize, advise }: RoomRun,
  flags: PaceFlags,
): Promise<void> {
  const { format } = (await context.printer()).options
  const run = await openRun(context, flags, { effect: 'writes', total: tasks.length, summarize })
  const ended: Outcome<unknown>[] = []

  async function* pages(): AsyncGenerator<Page> {
    const act = async ({ todo }: RoomTask) => (typeof todo === 'function' ? todo(run.client) : todo)
    const known = ({ todo }: RoomTask) => (typeof todo === 'function' ? undefined : todo)
    for await (const [task, outcome] of run.each(tasks, act, known)) {
      ended.push(outcome)
      // `-o ids` prints only changed rooms.
      if (format !== 'ids' || outcome.status === 'ok' || outcome.status === 'updated')
        yield { items: [redactReason(context, task.toRow(outcome))] }
    }
  }

  await printRun(context, run, { view, key, pages: pages(), advise: () => advise(ended) })
}
