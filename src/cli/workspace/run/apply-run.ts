import { isFatal, judgeStatus, type Outcome, type Status, toFailure } from '../../../client/outcome.ts'
import type { MeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { fixPace, type PaceFlags } from '../../kernel/flags.ts'
import { finishRun } from '../../run/finish-run.ts'
import { openPool, type Pool } from '../../run/pool.ts'
import { startAll } from '../../run/run-items.ts'
import { Tally } from '../../run/tally.ts'
import type { Plan, PlanItem } from '../plan/plan.ts'
import { isWrite } from '../plan/plan.ts'
import { ItemWriter } from './item-writer.ts'
import type { LockKeeper } from './lock-keeper.ts'

export interface AppliedItem {
  item: PlanItem
  status: Status
  reason: string | null
}

/** Phases of a run. Each phase completes before the next one starts. */
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

function isDestructive(item: PlanItem): boolean {
  return item.action === 'remove' || isTermination(item)
}

/** Runner for the writes of a plan, phase by phase. A failed item does not stop the others. */
export class ApplyRun {
  readonly #context: Context
  readonly #pool: Pool
  readonly #tally: Tally
  readonly #keeper: LockKeeper
  readonly #writes: readonly PlanItem[]
  #started: readonly Promise<unknown>[] = []
  #fatal: MeetroomError | undefined

  private constructor(context: Context, plan: Plan, keeper: LockKeeper, tally: Tally, pool: Pool) {
    this.#context = context
    this.#writes = plan.items.filter(isWrite)
    this.#keeper = keeper
    this.#tally = tally
    this.#pool = pool
  }

  static async open(context: Context, plan: Plan, keeper: LockKeeper, flags: PaceFlags): Promise<ApplyRun> {
    const tally = new Tally(plan.items.filter(isWrite).length, summarizeRun)
    const pace = plan.items.some(isDestructive) ? fixPace(flags) : flags
    const pool = await openPool(context, pace, tally, { confirmed: true })
    return new ApplyRun(context, plan, keeper, tally, pool)
  }

  get tally(): Tally {
    return this.#tally
  }

  async *applied(): AsyncGenerator<AppliedItem> {
    for (const belongs of phases) {
      const items = this.#writes.filter(belongs)
      if (items.length === 0) continue
      if (!this.#pool.isStopped) await this.#keeper.beforePhase(items)
      // Each phase needs a new writer, because the member lists of earlier phases are outdated.
      const { client } = this.#pool
      const writer = new ItemWriter(this.#context, client, this.#keeper, () => this.#pool.isStopped)
      const started = startAll(this.#pool, items, (item) => this.#write(writer, item))
      this.#started = started
      const ended: AppliedItem[] = []
      for (const [i, item] of items.entries()) {
        const applied = toApplied(item, (await started[i]) as Outcome<unknown>)
        ended.push(applied)
        yield applied
      }
      await this.#keeper.afterPhase(
        ended.map(({ item, status }) => ({ item, verdict: judgeOutcome(status) })),
      )
    }
  }

  /** Prevents further writes and waits for running ones. */
  async stop(): Promise<void> {
    this.#pool.stop()
    await Promise.all(this.#started)
  }

  end(): Promise<MeetroomError | undefined> {
    return finishRun(this.#context, this.#tally, this.#fatal)
  }

  async #write(writer: ItemWriter, item: PlanItem): Promise<Outcome<unknown>> {
    try {
      return await writer.write(item)
    } catch (cause) {
      const failed = toFailure(cause)
      if (isFatal(failed.error)) {
        this.#fatal ??= failed.error
        this.#pool.stop()
      }
      return failed
    }
  }
}

function judgeOutcome(status: Status): 'done' | 'unknown' | 'undone' {
  if (status === 'unknown') return 'unknown'
  return judgeStatus(status) === 'good' ? 'done' : 'undone'
}

function toApplied(item: PlanItem, outcome: Outcome<unknown>): AppliedItem {
  const { status } = outcome
  if ('error' in outcome && outcome.error) return { item, status, reason: outcome.error.message }
  return { item, status, reason: typeof outcome.value === 'string' ? outcome.value : null }
}

function summarizeRun(tally: Tally): string {
  const unknown = tally.count('unknown')
  const counts: [count: number, what: string][] = [
    [tally.count('skipped'), 'already as the file says'],
    [tally.bad - unknown, 'failed'],
    [unknown, 'with an unknown outcome'],
    [tally.untried, 'not tried'],
  ]
  const rest = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return [`applied ${tally.count('ok')} of ${tally.total} changes`, ...rest].join('; ')
}
