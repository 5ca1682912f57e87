import { type Hint, suggest } from '../../errors.ts'
import { isWrite, type Plan } from './plan/plan.ts'
import { formatPlanFlags, formatRosterFlags, type PlanFlags } from './plan-flags.ts'

export function suggestNextStep(file: string, { items }: Plan, flags: PlanFlags): Hint | undefined {
  if (items.some(({ action }) => action === 'exists'))
    return ['adopt existing rooms with: ', suggest(['workspace', 'adopt', ...formatRosterFlags(flags)], file)]
  if (items.some(({ action }) => action === 'unblocked')) {
    const again = { ...flags, reblock: true }
    return [
      'block these members again with: ',
      suggest(['workspace', 'apply', ...formatPlanFlags(again)], file),
    ]
  }
  if (items.some(isWrite))
    return ['make the changes with: ', suggest(['workspace', 'apply', ...formatPlanFlags(flags)], file)]
  return undefined
}
