import { omitUndefined } from '../../api/defined.ts'
import { parseEnd, parseTimestamp } from '../../api/readings.ts'
import type { Item } from '../output/views/views.ts'
import { clip, type Interval } from './intervals.ts'

/** What is wrong with the times of a session. */
export type Oddity = 'no start' | 'no end' | 'early end'

/** One connection, as far as it lies in the span of a report. */
export interface Attendance {
  /** Milliseconds since 1970. */
  interval: Interval
  /** The time of entry as the service tells it, or the beginning of the span. */
  entered: string
  /** The time of exit; null while somebody is there, and where nobody knows. */
  left: string | null
  isRunning: boolean
  oddity?: Oddity
}

/** What sessions are read by. */
export interface Reading {
  /** Only what lies in here counts, in milliseconds since 1970. */
  span: Interval
  /** Milliseconds since 1970: sessions that run have lasted until then. */
  now: number
  /** When the room was terminated, NaN when nobody knows; undefined for a room in which sessions may run. */
  terminatedAt: number | undefined
}

/** The fields of a session that say when it was. */
export const timeFields = ['connected_at', 'disconnected_at'] as const

type Times = Record<(typeof timeFields)[number], unknown>

/** What a session says of its beginning. */
export type Beginning = Pick<Times, (typeof timeFields)[0]>
/** What a session says of its end. */
export type Ending = Pick<Times, (typeof timeFields)[1]>

/** What a session says of its times; null for an end that it does not tell. */
export function timesOf(session: Item): Times {
  const { connected_at, disconnected_at } = session
  return { connected_at, disconnected_at: hasEnd(session) ? disconnected_at : null }
}

/** The moment that a service tells, in milliseconds since 1970; NaN when it tells none. */
export function momentIn(value: unknown): number {
  return parseTimestamp(value) ?? Number.NaN
}

/** When a session began, in milliseconds since 1970; NaN when nobody knows. */
export function beginningOf({ connected_at }: Beginning): number {
  return momentIn(connected_at)
}

/** In the order of their beginnings; those of which nobody knows it come last. */
export function inOrder<T extends Beginning>(all: Iterable<T>): T[] {
  const timed = Array.from(all, (one) => ({ one, at: beginningOf(one) || Number.POSITIVE_INFINITY }))
  return timed.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ one }) => one)
}

/** Whether a session tells no end, or one before its beginning: it runs, or the service has lost it. */
export function isOpen({ connected_at, disconnected_at }: Item): boolean {
  return typeof parseEnd(connected_at, disconnected_at) !== 'number'
}

/** Whether a session tells an end, even one that cannot be true. */
export function hasEnd({ disconnected_at }: Item): boolean {
  return !Number.isNaN(momentIn(disconnected_at))
}

/**
 * What a session contributes; undefined when it lies outside of the span, or nowhere. One that cannot have lasted as it
 * says counts as a moment: somebody was there.
 */
export function readStay(session: Item, reading: Reading): Attendance | 'no start' | undefined {
  const start = momentIn(session['connected_at'])
  if (Number.isNaN(start)) return 'no start'
  const { end, left, isRunning = false, oddity } = endOf(session, start, reading)
  const interval = clip([start, end], reading.span)
  if (!interval) return undefined
  const [from, to] = interval
  return {
    interval,
    entered: from > start ? iso(from) : String(session['connected_at']),
    left: to < end ? iso(to) : left,
    isRunning: isRunning && to === end,
    ...omitUndefined({ oddity }),
  }
}

interface End {
  /** Milliseconds since 1970. */
  end: number
  left: string | null
  isRunning?: boolean
  oddity?: Oddity
}

function endOf(session: Item, start: number, { now, terminatedAt }: Reading): End {
  if (hasEnd(session)) {
    const end = momentIn(session['disconnected_at'])
    if (end < start) return { end: start, left: null, oddity: 'early end' }
    return { end, left: String(session['disconnected_at']) }
  }
  // The clock of the service may be ahead of this one.
  if (terminatedAt === undefined) return { end: Math.max(start, now), left: null, isRunning: true }
  if (terminatedAt >= start) return { end: terminatedAt, left: iso(terminatedAt), oddity: 'no end' }
  return { end: start, left: null, oddity: 'no end' }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
