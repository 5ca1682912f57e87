import { ConditionError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { rowKinds } from '../output/views/rows.ts'
import { readDesired } from './document/read-document.ts'
import { lockFileOf, readLockFile } from './lock/lock-file.ts'
import { findOtherLock } from './other-lock.ts'
import { requireAllowedRemovals } from './plan/guards.ts'
import { isUnresolved, isWrite } from './plan/plan.ts'
import type { PlanFlags } from './plan-flags.ts'
import { readPlanOptions } from './plan-flags.ts'
import { preparePlan } from './prepare-plan.ts'
import { printPlan } from './print-plan.ts'
import { suggestNextStep } from './suggest-next-step.ts'

export interface DiffFlags extends PlanFlags, PaceFlags {
  strict?: boolean
  out?: string
  against?: string
}

/**
 * Prints the changes that would make the workspace match the file.
 * @throws {ConfirmationError} if `--allow-large` does not allow the removals
 * @throws {ConditionError} if the workspace differs from the file
 */
export async function diffWorkspace(context: Context, file: string, flags: DiffFlags): Promise<void> {
  context.refuseCurl('the contents of the service')
  const printer = await context.printer()
  printer.check(rowKinds.plan)
  if (flags.out !== undefined && !context.flags.dryRun) {
    const { requirePlanFile } = await import('./plan-file.ts')
    await requirePlanFile(context, flags.out)
  }
  const options = readPlanOptions(flags)
  const document = await readDesired(context, file, flags)
  const lock = lockFileOf(file, flags.lock)
  const sections = readLockFile(lock, context.host)
  const prepared = await preparePlan(context, { lock, document, sections, options }, flags)
  const { plan, problem, identity } = prepared
  await printPlan(context, plan)
  if (problem) throw problem
  requireAllowedRemovals(plan, flags.allowLarge)
  if (flags.out !== undefined && !context.flags.dryRun) {
    const { writePlanFile } = await import('./plan-file.ts')
    await writePlanFile(context, flags.out, plan, identity, flags)
  }
  const count = plan.items.filter((item) => isWrite(item) || isUnresolved(item)).length
  const found = flags.strict ? plan.items.length : count
  if (found === 0) return
  const other = findOtherLock(context, file, flags, prepared)
  if (other) await context.notice(other.message)
  throw new ConditionError(`the workspace differs from ${file}`, {
    hint: other?.hint ?? suggestNextStep(file, plan, flags),
  })
}
