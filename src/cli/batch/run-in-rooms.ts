import type { Client } from '../../client/client.ts'
import { isFatal, type Outcome, toFailure } from '../../client/outcome.ts'
import { type Hint, InterruptedError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { printAll } from '../lists/print-all.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { finishRun } from '../run/finish-run.ts'
import { openPool } from '../run/pool.ts'
import { startAll } from '../run/run-items.ts'
import { Tally } from '../run/tally.ts'

export type RoomOutcome = Outcome<unknown> & { reason?: string }

/** Work in one room: a request, or an outcome that is known in advance. */
export interface RoomTask {
  todo: ((client: Client) => Promise<RoomOutcome>) | RoomOutcome
  toRow(ended: RoomOutcome): Item
}

interface RoomRun {
  tasks: readonly RoomTask[]
  view: View
  /** Name of the list in the JSON output. */
  key: string
  summarize: (tally: Tally) => string
  /** Returns advice after a run with failures. */
  advise: (ended: readonly RoomOutcome[]) => Hint | undefined
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
  const printer = await context.printer()
  const tally = new Tally(tasks.length, summarize)
  const pool = await openPool(context, flags, tally)
  let fatal: MeetroomError | undefined
  const attempt = async ({ todo }: RoomTask): Promise<RoomOutcome> => {
    try {
      return typeof todo === 'function' ? await todo(pool.client) : { status: 'unsent' }
    } catch (cause) {
      const failed = toFailure(cause)
      if (isFatal(failed.error)) {
        fatal ??= failed.error
        pool.stop()
      }
      return failed
    }
  }
  const requests = tasks.filter(({ todo }) => typeof todo === 'function')
  const started = startAll(pool, requests, attempt)
  const outcomes = new Map(requests.map((task, i) => [task, started[i]]))
  const ended: RoomOutcome[] = []
  const isIds = printer.options.format === 'ids'

  async function* pages(): AsyncGenerator<Page> {
    for (const task of tasks) {
      const outcome = (await outcomes.get(task)) ?? countKnown(task)
      ended.push(outcome)
      // `-o ids` prints only changed rooms.
      if (!isIds || outcome.status === 'ok' || outcome.status === 'updated')
        yield { items: [redactReason(context, task.toRow(outcome))] }
    }
  }
  function countKnown({ todo }: RoomTask): RoomOutcome {
    const outcome = todo as RoomOutcome
    tally.add(outcome)
    return outcome
  }

  try {
    await printAll(printer, view, key, pages())
  } catch (error) {
    pool.stop()
    await Promise.all(started)
    throw error
  }
  const error = await finishRun(context, tally, fatal, advise(ended))
  if (!error || error instanceof InterruptedError) await context.notice(tally.summary)
  if (error) throw error
}

/** Redacts the reason of a row, because a service may include a token in an error. */
function redactReason({ redact }: Context, row: Item): Item {
  const { reason } = row
  return typeof reason === 'string' ? { ...row, reason: redact(reason) } : row
}

/** Formats the counts that are not zero: `2 skipped; 1 failed`. */
export function describeRest(tally: Tally): string[] {
  const unknown = tally.count('unknown')
  const counts: [count: number, what: string][] = [
    [tally.count('skipped') + tally.count('would_skip'), 'skipped'],
    [tally.bad - unknown, 'failed'],
    [unknown, 'with an unknown outcome'],
    [tally.untried, 'not tried'],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
}
