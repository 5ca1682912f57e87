import { parseTimestamp } from '../../api/readings.ts'
import type { Visible } from '../../host.ts'
import type { AttendanceRow } from '../output/views/report-rows.ts'
import type { Item } from '../output/views/views.ts'
import type { RoomSubject } from './group-by.ts'
import {
  computeMinutes,
  computeShare,
  computeSpan,
  type Interval,
  lastsMinutes,
  totalLength,
} from './minutes.ts'
import { nameParticipant, type Participant, type RoomReport } from './people.ts'
import type { ReportPlan } from './plan.ts'
import { formatTime, readSessionTimes } from './session-times.ts'
import type { Meeting } from './visits.ts'

export interface ReportRow {
  row: Item
  intervals: readonly Interval[]
  /** Span of the attendance, in milliseconds since 1970; undefined without attendance. */
  bounds: Interval | undefined
  isRunning: boolean
  /** Span of the row's own timeline; undefined without such a timeline. */
  span?: Interval | undefined
  meeting?: Meeting | undefined
  section?: Visible | undefined
}

export interface RowScale {
  /** Largest `room_minutes` of a row; at least 0.1. */
  most: number
  /** Span of the attendance, in milliseconds since 1970; infinite without attendance. */
  bounds: Interval
}

export interface Rows {
  lines: Iterable<ReportRow>
  /** Undefined unless the rows are sums of visits. */
  scale?: RowScale
}

export interface RowSource {
  /**
   * Adds a room and returns the completed rows.
   * @throws {InterruptedError} if a stop signal interrupts the work
   */
  add(report: RoomReport): Promise<Rows>
  /** Returns the remaining rows after the last room. */
  end(): Rows
}

const timeFields = ['meeting_start', 'meeting_end', 'peak_time', 'counted_from']

/** Converts the value of some time fields to milliseconds since 1970. Returns undefined for other values. */
export function readRowTime(field: string, { row, bounds }: ReportRow): number | undefined {
  if (typeof row[field] !== 'string') return undefined
  if (field === 'first_in') return bounds?.[0]
  if (field === 'last_out') return bounds?.[1]
  return timeFields.includes(field) ? (parseTimestamp(row[field]) ?? undefined) : undefined
}

export function createRoomRows(by: RoomSubject, plan: ReportPlan): RowSource {
  const list = { user: listUserRows, room: listRoomRows, session: listSessionRows }[by]
  return { add: async (report) => ({ lines: list(report, plan) }), end: () => ({ lines: [] }) }
}

export function listUserRows(
  { room, attendance: { participants, meeting }, absent = [] }: RoomReport,
  { minMinutes = 0, absent: listsAbsent, includeBlocked }: ReportPlan,
): ReportRow[] {
  const span = computeSpan(meeting)
  const nowhere = { member_id: null, connections: 0, intervals: [], firstIn: null, lastOut: null }
  const invited = absent.map((invitee) => ({ ...invitee, ...nowhere, isThere: false }))
  return [...participants, ...invited].flatMap((participant) => {
    const { intervals, connections, isThere, blocked = false } = participant
    const present = connections > 0 && lastsMinutes(intervals, minMinutes)
    if (!present && !listsAbsent) return []
    const row: AttendanceRow = {
      room_id: room['id'],
      user_id: participant.user_id,
      name: nameParticipant(participant),
      first_in: participant.firstIn,
      last_out: participant.lastOut,
      connections,
      minutes: computeMinutes(intervals),
      share: computeShare(totalLength(intervals), meeting),
      present,
      ...(includeBlocked && { blocked }),
      room_name: room['name'] ?? null,
    }
    return { row, intervals, bounds: computeSpan(intervals), isRunning: isThere, span }
  })
}

function listRoomRows(report: RoomReport, plan: ReportPlan): ReportRow[] {
  const { room, attendance, absent } = report
  const { participants, meeting } = attendance
  const people = listUserRows(report, { ...plan, absent: true })
  const present = people.filter(({ row }) => row['present'] === true)
  const last = findLastParticipant(participants)
  const row: AttendanceRow = {
    room_id: room['id'],
    name: room['name'] ?? null,
    first_in: participants[0]?.firstIn ?? null,
    last_out: last?.lastOut ?? null,
    participants: present.length,
    absent: absent === undefined ? null : people.length - present.length,
    connections: participants.reduce((sum, { connections }) => sum + connections, 0),
    minutes: computeMinutes(meeting),
    room_name: room['name'] ?? null,
  }
  const span = computeSpan(meeting)
  return [{ row, intervals: meeting, bounds: span, isRunning: last?.isThere ?? false, span }]
}

/** Finds the last participant to leave; at equal times, one who is still in the room. */
function findLastParticipant(participants: readonly Participant[]): Participant | undefined {
  const endOf = ({ intervals }: Participant) => intervals.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY
  return participants.toSorted((a, b) => endOf(b) - endOf(a) || Number(b.isThere) - Number(a.isThere))[0]
}

/** Generates rows on demand, because a room may have thousands of sessions. */
function* listSessionRows(
  { room, attendance }: RoomReport,
  { minMinutes = 0 }: ReportPlan,
): Generator<ReportRow> {
  const span = computeSpan(attendance.meeting)
  for (const { session, participant, interval, isRunning } of attendance.visits) {
    const intervals = [interval]
    if (!lastsMinutes(intervals, minMinutes)) continue
    const row: AttendanceRow = {
      room_id: room['id'],
      session_id: session['id'],
      member_id: session['member_id'] ?? null,
      user_id: participant.user_id,
      name: nameParticipant(participant),
      ...readSessionTimes(session),
      minutes: computeMinutes(intervals),
      share: computeShare(totalLength(intervals), attendance.meeting),
      room_name: room['name'] ?? null,
    }
    yield { row, intervals, bounds: interval, isRunning, span }
  }
}

export function summarizeRoom({ room, attendance: { participants, meeting } }: RoomReport): ReportRow {
  const bounds = computeSpan(meeting)
  const roomMinutes = computeMinutes(participants.flatMap(({ intervals }) => intervals))
  const row = {
    ...{ room_id: room['id'], room_name: room['name'], participants: participants.length },
    ...{ first_in: formatTime(bounds?.[0]), last_out: formatTime(bounds?.[1]), room_minutes: roomMinutes },
  }
  return { row, intervals: [], bounds, isRunning: participants.some(({ isThere }) => isThere) }
}
