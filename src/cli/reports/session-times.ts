import { omitUndefined } from '../../api/defined.ts'
import { parseEnd, parseTimestamp } from '../../api/readings.ts'
import type { Item } from '../output/views/views.ts'
import { clipInterval, type Interval } from './minutes.ts'
import type { ReportPlan } from './plan.ts'

export type TimeAnomaly = 'no start' | 'no end' | 'invalid end' | 'too long'

/** Maximum counted length of a session, to limit the work of splitting by day. */
const maxSessionMs = 366 * 86_400_000

export interface Attendance {
  interval: Interval
  /** Timestamp of the entry, or the start of the span for a session that started earlier. */
  entered: string
  left: string | null
  isRunning: boolean
  oddity?: TimeAnomaly
}

interface SessionReadOptions extends Pick<ReportPlan, 'span' | 'now'> {
  /** In milliseconds since 1970; NaN if unknown, undefined for an active room or an ended session. */
  terminatedAt: number | undefined
}

interface SessionStart {
  readonly connected_at?: unknown
}

export interface SessionEnd {
  disconnected_at: unknown
}

export function readSessionTimes(session: Item): SessionStart & SessionEnd {
  const { connected_at, disconnected_at } = session
  return { connected_at, disconnected_at: isRunningSession(session) ? null : disconnected_at }
}

/** Returns null for an unknown or infinite time. */
export function formatTime(ms = Number.NaN): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}

/** Returns NaN without a valid timestamp. */
export function parseMilliseconds(value: unknown): number {
  return parseTimestamp(value) ?? Number.NaN
}

export function readStart({ connected_at }: SessionStart): number {
  return parseMilliseconds(connected_at)
}

/** Sorts sessions without a valid start last. */
export function sortByStart<T extends SessionStart>(all: Iterable<T>): T[] {
  const timed = Array.from(all, (one) => ({ one, at: readStart(one) || Number.POSITIVE_INFINITY }))
  return timed.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ one }) => one)
}

/** Returns true without a valid end. An end before the start is not valid. */
export function isRunningSession({ connected_at, disconnected_at }: Item): boolean {
  return typeof parseEnd(connected_at, disconnected_at) !== 'number'
}

/** @returns undefined outside the span; an anomaly for a session that does not count */
export function readAttendance(
  session: Item,
  reading: SessionReadOptions,
): Attendance | TimeAnomaly | undefined {
  const start = parseMilliseconds(session['connected_at'])
  if (Number.isNaN(start)) return 'no start'
  const given = resolveEnd(session, start, reading)
  if (!clipInterval([start, given.end], reading.span)) return undefined
  const longest = start + maxSessionMs
  const {
    end,
    left,
    isRunning = false,
    oddity,
  }: ResolvedEnd = given.end > longest ? { end: longest, left: null, oddity: 'too long' } : given
  const interval = clipInterval([start, end], reading.span)
  if (!interval) return oddity
  const [from, to] = interval
  return {
    interval,
    entered: from > start ? new Date(from).toISOString() : String(session['connected_at']),
    left: to < end ? formatTime(to) : left,
    isRunning: isRunning && to === end,
    ...omitUndefined({ oddity }),
  }
}

interface ResolvedEnd {
  end: number
  left: string | null
  isRunning?: boolean
  oddity?: TimeAnomaly
}

function resolveEnd(session: Item, start: number, { now, terminatedAt }: SessionReadOptions): ResolvedEnd {
  const end = parseMilliseconds(session['disconnected_at'])
  if (!isRunningSession(session)) return { end, left: String(session['disconnected_at']) }
  if (terminatedAt === undefined) {
    // The clock of the service may be ahead of the local clock.
    const running = { end: Math.max(start, now), left: null, isRunning: true }
    const { disconnected_at } = session
    const isUnreadable = disconnected_at !== undefined && parseTimestamp(disconnected_at) === undefined
    return end < start || isUnreadable ? { ...running, oddity: 'invalid end' } : running
  }
  if (terminatedAt >= start) return { end: terminatedAt, left: formatTime(terminatedAt), oddity: 'no end' }
  return { end: start, left: null, oddity: 'no end' }
}
