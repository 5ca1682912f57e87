import { periodUnits } from '../calendar/period.ts'
import type { RowKind } from '../output/views/define-row.ts'
import { attendanceKinds, sumKinds, usageKinds } from '../output/views/report-rows.ts'
import { type Grouping, selectRoomSubject } from './group-by.ts'

export function selectReportView(
  grouping: Grouping,
  { absent = false, includeBlocked = false }: { absent?: boolean; includeBlocked?: boolean } = {},
): RowKind {
  const { unit } = grouping
  const kind = selectKind(grouping)
  const omitted = [
    ...periodUnits.filter((name) => name !== unit),
    ...(absent ? [] : ['missed', 'counted_from']),
    ...(includeBlocked ? [] : ['blocked']),
  ]
  // In a report by day, `days` is at most 1.
  const hidden = unit === 'day' ? [...omitted, 'days'] : omitted
  return {
    ...kind,
    fields: kind.fields.filter((field) => !omitted.includes(field)),
    columns: kind.columns.filter(({ field }) => !hidden.includes(field)),
  }
}

function selectKind(grouping: Grouping): RowKind {
  const { subject = 'all', hasPeak } = grouping
  if (hasPeak) return usageKinds[subject === 'room' ? subject : 'all']
  const ofRoom = selectRoomSubject(grouping)
  return ofRoom ? attendanceKinds[ofRoom] : sumKinds[subject === 'session' ? 'all' : subject]
}
