import type { TimeZone } from '../calendar/time-zone.ts'
import type { Grouping } from './group-by.ts'
import type { Interval } from './minutes.ts'

/** Shortest pause between two meetings by default, in milliseconds. */
export const defaultGapMs = 15 * 60_000

/** Contents of a report. */
export interface ReportPlan {
  grouping: Grouping
  /** In milliseconds since 1970; an end without a limit is infinite. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
  zone: TimeZone
  /** Shortest pause between two meetings of a room, in milliseconds. */
  gapMs: number
  /** Minimum attendance of a person who counts as present, in minutes; undefined unless the user sets it. */
  minMinutes?: number | undefined
  /** True to include missed meetings and people who do not count as present. */
  absent: boolean
  includeBlocked: boolean
  /** Minimum number of missed meetings of a person in the report; undefined for all people. */
  missed?: number | undefined
  interrupt: AbortSignal
}
