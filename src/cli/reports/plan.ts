import { readTimeZone, type TimeZone } from '../calendar/time-zone.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import type { Grouping } from './group-by.ts'
import type { Interval } from './minutes.ts'

const defaultGapMs = 15 * 60_000

export interface ReportPlan {
  grouping: Grouping
  /** In milliseconds since 1970. A missing start or end is infinite. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
  zone: TimeZone
  /** Shortest pause between two meetings of a room, in milliseconds. */
  gapMs: number
  /** Minimum attendance of a person who counts as present, in minutes. */
  minMinutes?: number | undefined
  absent: boolean
  onlyAbsent: boolean
  includeBlocked: boolean
  /** Minimum number of missed meetings in each row. */
  missed?: number | undefined
  interrupt: AbortSignal
}

export type AbsentPlan = Pick<ReportPlan, 'onlyAbsent' | 'minMinutes'>

export interface AttendanceFlags extends Pick<ReportPlan, 'minMinutes' | 'missed'> {
  absent?: boolean
  onlyAbsent?: boolean
  includeBlocked?: boolean
  /** Shortest pause between two meetings, in milliseconds. */
  gap?: number
}

export async function createPlan(
  context: Context,
  grouping: Grouping,
  flags: AttendanceFlags,
  readSpan: (now: number, zone: TimeZone) => Interval,
): Promise<ReportPlan> {
  const { onlyAbsent = false, includeBlocked = false, missed, minMinutes, gap: gapMs = defaultGapMs } = flags
  const now = context.host.now()
  const zone = await readTimeZone(context)
  return {
    ...{ grouping, span: readSpan(now, zone), now, zone, gapMs, minMinutes, missed, includeBlocked },
    ...{ onlyAbsent, absent: includesAbsent(flags) },
    interrupt: context.interrupt,
  }
}

export function isListed(row: Item, { onlyAbsent }: AbsentPlan): boolean {
  return !onlyAbsent || row['present'] !== true
}

/** Lists fields that give no information in a report with `--only-absent`. */
export function listConstantFields({ onlyAbsent, minMinutes }: AbsentPlan): readonly string[] {
  if (!onlyAbsent) return []
  if (minMinutes !== undefined) return ['present']
  return ['present', 'first_in', 'last_out', 'connections', 'minutes', 'room_minutes', 'share']
}

export function includesAbsent({ absent, onlyAbsent, missed }: AttendanceFlags): boolean {
  return absent === true || onlyAbsent === true || missed !== undefined
}
