import { ConditionError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { rowKinds } from '../output/views/rows.ts'
import { readDesired } from './document/read-document.ts'
import { findOtherLock } from './other-lock.ts'
import { isUnresolved, isWrite } from './plan/plan.ts'
import { requireAllowedRemovals } from './plan/plan-workspace.ts'
import type { PlanFlags } from './plan-flags.ts'
import { previewPlan } from './prepare-plan.ts'
import { printPlan, suggestNextStep } from './print-plan.ts'

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
  const out = context.flags.dryRun ? undefined : flags.out
  const planFile = out === undefined ? undefined : await import('./plan-file.ts')
  if (out !== undefined) await planFile?.requirePlanFile(context, out)
  const document = await readDesired(context, file, flags)
  const prepared = await previewPlan(context, file, document, flags)
  const { plan, problem, identity } = prepared
  await printPlan(context, plan)
  if (problem) throw problem
  requireAllowedRemovals(plan, flags.allowLarge)
  if (out !== undefined) await planFile?.writePlanFile(context, out, plan, identity, flags)
  const count = plan.items.filter((item) => isWrite(item) || isUnresolved(item)).length
  const found = flags.strict ? plan.items.length : count
  if (found === 0) return
  const other = findOtherLock(context, file, flags, prepared)
  if (other) await context.notice(other.message)
  throw new ConditionError(`the workspace differs from ${file}`, {
    hint: other?.hint ?? suggestNextStep(file, plan, flags),
  })
}
