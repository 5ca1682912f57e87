import { omitUndefined } from '../../api/defined.ts'
import { labelOf, type PeriodUnit } from '../calendar/period.ts'
import type { Printed } from '../output/schemas/printed.ts'
import type { Grouping } from './groupings.ts'
import { countTenths } from './measures.ts'
import type { ReportRow } from './rows.ts'
import type { Total } from './total.ts'

interface TotalRowOptions {
  grouping: Grouping
  absent: boolean
  includeBlocked: boolean
}

type Row = Printed['sessions report']['attendance'][number]

export function createTotalRow(total: Total, options: TotalRowOptions): ReportRow {
  const row: Row = { ...periodOf(total, options.grouping.unit), ...createFields(total, options) }
  return {
    row,
    intervals: total.intervals,
    isRunning: total.isOpen && total.isThere,
    meeting: total.of.meeting,
  }
}

function periodOf({ period }: Total, unit: PeriodUnit | undefined): { [U in PeriodUnit]?: string } {
  return unit === undefined ? {} : { [unit]: labelOf(unit, period) }
}

function createFields(total: Total, { grouping: { subject }, absent, includeBlocked }: TotalRowOptions): Row {
  const { rooms, participants, days, meetings, missed, name, role, roomMinutes: room_minutes } = total
  const { room, person, meeting } = total.of
  const place = { room_id: room?.['id'] as string, room_name: room?.['name'] ?? null }
  const bounds = { first_in: formatTime(total.first), last_out: total.isOpen ? null : formatTime(total.last) }
  const user_id = person?.user_id ?? null
  if (meeting && person) {
    const whole = countTenths(meeting.intervals)
    return {
      ...place,
      meeting: meeting.number,
      meeting_start: formatTime(meeting.start),
      meeting_end: meeting.isRunning ? null : formatTime(meeting.end),
      ...{ user_id, name, role, ...bounds, room_minutes },
      share: whole === 0 ? null : Math.round((room_minutes * 10_000) / whole) / 1000,
      present: total.isPresent,
      ...(includeBlocked && { blocked: person.blocked ?? false }),
    }
  }
  if (subject === 'user-total') {
    const minutes = countTenths(total.intervals) / 10
    const counts = { rooms, days, meetings, ...omitUndefined({ missed: absent ? missed : undefined }) }
    return { user_id, name, ...counts, ...bounds, room_minutes, minutes }
  }
  const counts = { days, meetings, room_minutes }
  if (subject === 'user') return { ...place, user_id, name, role, days, meetings, ...bounds, room_minutes }
  return subject === 'room' ? { ...place, participants, ...counts } : { participants, rooms, ...counts }
}

function formatTime(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}
