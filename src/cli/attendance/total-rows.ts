import { labelOf, type PeriodUnit } from '../calendar/period.ts'
import type { Printed } from '../output/schemas/printed.ts'
import type { Item } from '../output/views/views.ts'
import type { Grouping } from './groupings.ts'
import { countTenths } from './measures.ts'
import type { Meeting } from './meetings.ts'
import type { ReportRow } from './rows.ts'
import type { Total } from './total.ts'

interface TotalPlace {
  room: Item | undefined
  meeting: Meeting | undefined
}

interface TotalRowOptions {
  grouping: Grouping
  absent: boolean
  includeBlocked: boolean
}

type Row = Printed['sessions report']['attendance'][number]

export function createTotalRow(total: Total, place: TotalPlace, options: TotalRowOptions): ReportRow {
  const { unit } = options.grouping
  const fields = createFields(total, place, options)
  // Spreading both into a literal takes more memory, because V8 makes such objects dictionaries.
  const row: Row = unit === undefined ? fields : Object.assign(periodOf(total, unit), fields)
  const { intervals, isOpen, isThere } = total
  return { row, intervals, isRunning: isOpen && isThere, meeting: place.meeting }
}

function periodOf({ period }: Total, unit: PeriodUnit): { [U in PeriodUnit]?: string } {
  return { [unit]: labelOf(unit, period) }
}

function createFields(
  total: Total,
  { room, meeting }: TotalPlace,
  { grouping: { subject }, absent, includeBlocked }: TotalRowOptions,
): Row {
  const { user_id, rooms, participants, days, meetings, missed, name, role } = total
  const { roomMinutes: room_minutes } = total
  const place = { room_id: room?.['id'] as string, room_name: room?.['name'] ?? null }
  const bounds = { first_in: formatTime(total.first), last_out: total.isOpen ? null : formatTime(total.last) }
  if (meeting) {
    const whole = countTenths(meeting.intervals)
    return {
      ...place,
      meeting: meeting.number,
      meeting_start: formatTime(meeting.start),
      meeting_end: meeting.isRunning ? null : formatTime(meeting.end),
      ...{ user_id, name, role, ...bounds, room_minutes },
      share: whole === 0 ? null : Math.round((room_minutes * 10_000) / whole) / 1000,
      present: total.isPresent,
      ...(includeBlocked && { blocked: total.blocked ?? false }),
    }
  }
  if (subject === 'user-total') {
    const minutes = countTenths(total.intervals) / 10
    const counts = {
      rooms,
      days,
      meetings,
      ...(absent && { missed, counted_from: formatTime(total.countedFrom) }),
    }
    return { user_id, name, ...counts, ...bounds, room_minutes, minutes }
  }
  const counts = { days, meetings, room_minutes }
  if (subject === 'user') return { ...place, user_id, name, role, days, meetings, ...bounds, room_minutes }
  return subject === 'room' ? { ...place, participants, ...counts } : { participants, rooms, ...counts }
}

function formatTime(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}
