import { type Hint, suggest } from '../../errors.ts'
import { isWrite, type Plan } from './plan/plan.ts'
import { formatPlanFlags, formatRosterFlags, type PlanFlags } from './plan-flags.ts'

/** @param flags `out` is the written plan file, which contains the plan flags */
export function suggestNextStep(
  file: string,
  { items }: Plan,
  { out, ...flags }: PlanFlags & { out?: string },
): Hint | undefined {
  if (items.some(({ action }) => action === 'exists'))
    return ['adopt existing rooms with: ', suggest(['workspace', 'adopt', ...formatRosterFlags(flags)], file)]
  if (items.some(({ action }) => action === 'unblocked')) {
    const again = formatPlanFlags({ ...flags, reblock: true })
    return out === undefined
      ? ['block these members again with: ', suggest(['workspace', 'apply', ...again], file)]
      : [
          'plan to block these members again with: ',
          suggest(['workspace', 'diff', ...again, '--out', out], file),
        ]
  }
  if (!items.some(isWrite)) return undefined
  const planned = out === undefined ? formatPlanFlags(flags) : [...formatRosterFlags(flags), '--plan', out]
  return ['make the changes with: ', suggest(['workspace', 'apply', ...planned], file)]
}
