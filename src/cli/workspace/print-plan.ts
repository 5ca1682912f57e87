import { toText } from '../../api/to-text.ts'
import type { Context } from '../kernel/context.ts'
import type { Printed } from '../output/schemas/printed.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import type { Action, FieldChange, Plan, PlanItem } from './plan/plan.ts'
import { describeSummary, type PlanSummary, summarizePlan } from './plan/summary.ts'

export type PlanRow = Printed['workspace diff']['plan'][number]

const signs: Readonly<Record<Action, string>> = {
  create: '+',
  change: '~',
  remove: '-',
  ...{ gone: '!', exists: '!', conflict: '!', cannot: '!', unblocked: '!' },
  ...{ unread: '?', not_shown: '?' },
  not_in_file: '*',
}

const rowFields = ['sign', 'action', 'kind', 'key', 'room_key', 'room_id', 'name', 'reason'] as const

/** View of planned rows. `changes` is a list, so tables show it in the derived column `details`. */
export const planView: View = {
  noun: ['item', 'items'],
  id: 'key',
  columns: [
    { field: 'sign', weight: 9 },
    { field: 'action', weight: 9 },
    { field: 'kind', weight: 8 },
    { field: 'item', weight: 9, value: describeItem },
    { field: 'details', weight: 7, value: describeDetails },
  ],
  fields: rowFields,
}

/** View of applied rows: planned rows with their outcomes. */
export const resultView: View = {
  ...planView,
  columns: [
    ...planView.columns.filter(({ field }) => field !== 'details'),
    { field: 'status', weight: 9 },
    { field: 'details', weight: 7, value: describeDetails },
  ],
  fields: [...rowFields, 'status'],
}

export function toRow({
  action,
  kind,
  key,
  room_key,
  room_id,
  name,
  changes,
  reason,
}: PlanItem): PlanRow & Item {
  return {
    sign: signs[action],
    action,
    kind,
    key,
    room_key,
    room_id: room_id ?? null,
    name,
    changes: changes.map((change) => ({ ...change })),
    reason,
  }
}

function describeItem({ kind, key, room_key, name }: Item): string {
  if (kind === 'member') return `${toText(room_key)}/${toText(key)}`
  return name === null || name === key ? toText(key) : `${toText(key)} (${toText(name)})`
}

function describeDetails({ changes, reason }: Item): string {
  const fields = (changes as readonly FieldChange[]).map(describeChange).join(', ')
  return [fields, toText(reason)].filter(Boolean).join('; ')
}

/** Formats a change as `name: Algebra → Algebra II`; the value before is omitted for a new field. */
export function describeChange(change: FieldChange): string {
  const { field, before, after } = change
  return Object.hasOwn(change, 'before')
    ? `${field}: ${formatValue(before)} → ${formatValue(after)}`
    : `${field}: ${formatValue(after)}`
}

function formatValue(value: unknown): string {
  return toText(value) === '' ? '(empty)' : toText(value)
}

/** Formats an item as one line, such as `~ room algebra (Algebra)  name: Algebra → Algebra II`. */
export function describeItemLine(item: PlanItem): string {
  const row = toRow(item)
  return [`${row.sign} ${row.kind} ${describeItem(row)}`, describeDetails(row)].filter(Boolean).join('  ')
}

const rowsPerPage = 100

export async function printPlan(context: Context, plan: Plan): Promise<PlanSummary> {
  const summary = summarizePlan(plan)
  const printer = await context.printer()
  await printer.list(planView, 'plan', createPages(plan.items.map(toRow), { summary }))
  for (const line of describeSummary(summary)) await context.notice(line)
  return summary
}

export async function* createPages(rows: readonly Item[], rest: Item): AsyncGenerator<Page> {
  for (let i = 0; i < rows.length; i += rowsPerPage) yield { items: rows.slice(i, i + rowsPerPage), rest }
  if (rows.length === 0) yield { items: [], rest }
}
