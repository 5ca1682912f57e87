import { judgeStatus, type Status } from '../../../client/outcome.ts'
import type { Context } from '../../kernel/context.ts'
import type { PaceFlags } from '../../kernel/flags.ts'
import { openRun, type Run } from '../../run/run.ts'
import type { Tally } from '../../run/tally.ts'
import type { PlanItem } from '../plan/plan.ts'
import { ItemWriter } from './item-writer.ts'
import type { Ended, LockKeeper } from './lock-keeper.ts'

/** Each phase completes before the next phase starts. */
const phases: readonly ((item: PlanItem) => boolean)[] = [
  ({ kind, action }) => kind === 'user' && action !== 'remove',
  (item) => item.kind === 'room' && item.action === 'change' && !isTermination(item),
  ({ kind, action }) => kind === 'room' && action === 'create',
  ({ kind, action }) => kind === 'member' && action === 'create',
  ({ kind, action }) => kind === 'member' && action === 'change',
  isTermination,
  ({ kind, action }) => kind === 'member' && action === 'remove',
  ({ kind, action }) => kind === 'room' && action === 'remove',
  ({ kind, action }) => kind === 'user' && action === 'remove',
]

function isTermination({ kind, changes }: PlanItem): boolean {
  return kind === 'room' && changes.some(({ field, after }) => field === 'is_terminated' && after === true)
}

export async function openApplyRun(
  context: Context,
  writes: readonly PlanItem[],
  flags: PaceFlags,
): Promise<Run> {
  const isDestructive = writes.some((item) => item.action === 'remove' || isTermination(item))
  const effect = isDestructive ? 'destroys' : 'writes'
  return openRun(context, flags, { effect, total: writes.length, summarize, confirmed: true })
}

export async function* applyItems(
  context: Context,
  run: Run,
  writes: readonly PlanItem[],
  keeper: LockKeeper,
): AsyncGenerator<{ item: PlanItem; status: Status; reason: string | null }> {
  for (const belongs of phases) {
    const items = writes.filter(belongs)
    if (items.length === 0) continue
    if (!run.isStopped) await keeper.beforePhase(items)
    // Each phase needs a new writer, because the member lists of earlier phases are outdated.
    const writer = new ItemWriter(context, run.client, keeper, () => run.isStopped)
    const ended: Ended[] = []
    for await (const [item, outcome] of run.each(items, (item) => writer.write(item))) {
      const { status, value } = outcome
      const isDone = judgeStatus(status) === 'good'
      ended.push({ item, verdict: status === 'unknown' ? status : isDone ? 'done' : 'undone' })
      const reason = 'error' in outcome ? outcome.error.message : value
      yield { item, status, reason: typeof reason === 'string' ? reason : null }
    }
    await keeper.afterPhase(ended)
  }
}

function summarize(tally: Tally): string {
  if (tally.total === 0) return ''
  const done = [`applied ${tally.count('ok')} of ${tally.total} changes`]
  return tally.describe(done, { skippedAs: 'already matches the file' })
}
