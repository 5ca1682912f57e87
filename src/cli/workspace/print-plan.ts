import { type Hint, suggest } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { describeDetails, describeItem, planSigns } from '../output/views/planned-cells.ts'
import { type RowOf, rowKinds } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'
import { isWrite, type Plan, type PlanItem } from './plan/plan.ts'
import { type ComparedSides, describeSummary, summarizePlan } from './plan/summary.ts'
import { formatPlanFlags, formatRosterFlags, type PlanFlags } from './plan-flags.ts'

export function toRow(item: PlanItem): RowOf<'plan'> & Item {
  const { action, kind, key, room_key, room_id = null, name, reason } = item
  const changes = item.changes.map((change) => ({ ...change }))
  return { sign: planSigns[action], action, kind, key, room_key, room_id, name, changes, reason }
}

/** Formats an item as one line, such as `~ room algebra (Algebra)  name: Algebra → Algebra II`. */
export function describeItemLine(item: PlanItem): string {
  const row = toRow(item)
  return [`${row.sign} ${row.kind} ${describeItem(row)}`, describeDetails(row)].filter(Boolean).join('  ')
}

const rowsPerPage = 100

/** Prints a plan and its summary, but in tables no `not_in_file` items without a reason. */
export async function printPlan(context: Context, plan: Plan, sides?: ComparedSides): Promise<void> {
  const printer = await context.printer()
  const isShown = ({ action, reason }: PlanItem) =>
    printer.options.format !== 'table' || action !== 'not_in_file' || reason !== null
  const withService = (row: RowOf<'plan'>) =>
    sides && row.action === 'not_in_file' ? { ...row, reason: row.reason ?? sides.onlyThere } : row
  const rows = plan.items.filter(isShown).map(toRow).map(withService)
  await printer.list(rowKinds.plan, 'plan', createPages(rows, { summary: summarizePlan(plan) }))
  for (const line of describeSummary(plan, sides)) await context.notice(line)
}

async function* createPages(rows: readonly Item[], rest: Item): AsyncGenerator<Page> {
  for (let i = 0; i < rows.length; i += rowsPerPage) yield { items: rows.slice(i, i + rowsPerPage), rest }
  if (rows.length === 0) yield { items: [], rest }
}

/** @param flags `out` is the written plan file, which contains the plan flags */
export function suggestNextStep(
  file: string,
  { items }: Plan,
  { out, ...flags }: PlanFlags & { out?: string },
): Hint | undefined {
  const existing = items.filter(({ action }) => action === 'exists')
  const refused = existing.find(({ candidates }) => candidates?.length !== 1)
  if (refused)
    return [
      'rename or delete the other rooms with this name, or change the name in the file: ',
      suggest(['rooms', 'list', '--name', refused.name ?? '']),
    ]
  if (existing.length > 0)
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
