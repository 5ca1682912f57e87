import { createFlagConflict } from '../../../../api/flag-conflict.ts'
import { UsageError } from '../../../../errors.ts'
import { requireSpan } from '../../../calendar/near-moment.ts'
import type { Context } from '../../../kernel/context.ts'
import { type Grouping, parseGrouping, selectRoomSubject } from '../../../reports/group-by.ts'
import { type AttendanceFlags, createPlan } from '../../../reports/plan.ts'
import { type ReportOptions, runReport } from '../../../reports/report.ts'

export interface ReportFlags extends ReportOptions, AttendanceFlags {
  from?: string
  to?: string
  period?: string
  by: string
}

/** @throws {MeetroomError} for invalid flags, and if some rooms failed or were not listed */
export async function runSessionReport(
  context: Context,
  given: readonly string[],
  flags: ReportFlags,
): Promise<void> {
  const grouping = parseGrouping(flags.by)
  checkFlags(grouping, flags)
  const { from, to, period } = flags
  const span = { start: ['--from', from], end: ['--to', to], period } as const
  const plan = await createPlan(context, grouping, flags, (now, zone) => requireSpan(span, now, zone))
  await runReport(context, given, plan, flags)
}

function checkFlags(grouping: Grouping, flags: ReportFlags): void {
  const { by, onlyAbsent, absent = onlyAbsent, includeBlocked = false, missed, gap } = flags
  const { subject } = grouping
  const isOfTotals = selectRoomSubject(grouping) === undefined
  const listsPeople = isOfTotals ? subject === 'user-total' || subject === 'meeting' : subject !== 'session'
  if (missed !== undefined && subject !== 'user-total')
    throw createFlagConflict('--missed', `--by ${by}`, {
      hint: 'pass --by user-total',
      lineEdit: { before: 'type: ', omit: ['--by'], add: ['--by', 'user-total'] },
    })
  if (absent && !listsPeople) throw createFlagConflict(`--${onlyAbsent ? 'only-' : ''}absent`, `--by ${by}`)
  if (onlyAbsent && subject !== 'user' && subject !== 'meeting')
    throw createFlagConflict('--only-absent', `--by ${by}`, {
      hint: 'pass --by user or meeting, or --by user-total --missed 1',
    })
  if (includeBlocked && !absent && missed === undefined)
    throw new UsageError('--include-blocked needs --absent, --only-absent or --missed')
  if (gap !== undefined && !isOfTotals)
    throw createFlagConflict('--gap', `--by ${by}`, {
      hint: 'pass --by meeting, user-total, day, week or month',
    })
}
