import type { Printed } from '../output/schemas/printed.ts'
import type { Item } from '../output/views/views.ts'
import type { RoomSubject } from './groupings.ts'
import type { Interval } from './intervals.ts'
import { computeMinutes, computeShare } from './measures.ts'
import type { Meeting } from './meetings.ts'
import type { Participant, RoomAttendance } from './room-attendance.ts'
import { readSessionTimes } from './session-times.ts'

export interface RoomReport {
  room: Item
  attendance: RoomAttendance
  absent: readonly Invitee[] | undefined
}

export interface Invitee {
  user_id: unknown
  name: unknown
  role: unknown
  blocked: boolean
  /** Time of the invitation, in milliseconds since 1970; undefined if unknown. */
  invitedAt: number | undefined
}

export interface RowOptions {
  /** Minimum attendance of a person who counts as present, in minutes. */
  minMinutes: number
  /** True to include people who do not count as present. */
  absent: boolean
  includeBlocked?: boolean
}

type AttendanceRow = Printed['sessions report']['attendance'][number]

export interface ReportRow {
  row: Item
  intervals: readonly Interval[]
  isRunning: boolean
  /** Meeting of the row, in a report by meeting. */
  meeting?: Meeting | undefined
}

export const reportRowsBy: Readonly<
  Record<RoomSubject, (report: RoomReport, options: RowOptions) => Iterable<ReportRow>>
> = {
  user: userRows,
  room: roomRows,
  session: sessionRows,
}

export function userRows(
  { room, attendance: { participants, meeting }, absent = [] }: RoomReport,
  options: RowOptions,
): ReportRow[] {
  const blockedIn = ({ blocked = false }: Pick<Participant, 'blocked'>) =>
    options.includeBlocked ? { blocked } : {}
  const presentRows = participants.map((participant): ReportRow => {
    const { intervals, connections, isThere } = participant
    const minutes = computeMinutes(intervals)
    const row: AttendanceRow = {
      room_id: room['id'],
      user_id: participant.user_id,
      name: participantName(participant),
      first_in: participant.firstIn,
      last_out: participant.lastOut,
      connections,
      minutes,
      share: computeShare(intervals, meeting),
      present: minutes >= options.minMinutes,
      ...blockedIn(participant),
    }
    return { row, intervals, isRunning: isThere }
  })
  const absentRows = absent.map(({ user_id, name, blocked }): ReportRow => {
    const row: AttendanceRow = {
      room_id: room['id'],
      user_id,
      name,
      first_in: null,
      last_out: null,
      connections: 0,
      minutes: 0,
      share: computeShare([], meeting),
      present: false,
      ...blockedIn({ blocked }),
    }
    return { row, intervals: [], isRunning: false }
  })
  return [...presentRows, ...absentRows].filter(({ row }) => options.absent || row.present)
}

function participantName({ name = null, user_id, member_id }: Participant): unknown {
  return user_id === null ? (name ?? member_id) : name
}

function roomRows(report: RoomReport, options: RowOptions): ReportRow[] {
  const { room, attendance, absent } = report
  const { participants, meeting } = attendance
  const people = userRows(report, { ...options, absent: true })
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
  }
  return [{ row, intervals: meeting, isRunning: last?.isThere ?? false }]
}

/** Finds the last participant to leave, preferably one who is still in the room. */
function findLastParticipant(participants: readonly Participant[]): Participant | undefined {
  const endOf = ({ intervals }: Participant) => intervals.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY
  const isLater = (a: Participant, b: Participant) =>
    endOf(a) > endOf(b) || (endOf(a) === endOf(b) && a.isThere)
  return participants.reduce<Participant | undefined>(
    (last, other) => (last === undefined || isLater(other, last) ? other : last),
    undefined,
  )
}

/** Generates rows on demand, because a room may have very many sessions. */
function* sessionRows({ room, attendance }: RoomReport, { minMinutes }: RowOptions): Generator<ReportRow> {
  for (const { session, participant, interval, isRunning } of attendance.visits) {
    const intervals = [interval]
    const minutes = computeMinutes(intervals)
    if (minutes < minMinutes) continue
    const row: AttendanceRow = {
      room_id: room['id'],
      session_id: session['id'],
      member_id: session['member_id'] ?? null,
      user_id: participant.user_id,
      name: participantName(participant),
      ...readSessionTimes(session),
      minutes,
      share: computeShare(intervals, attendance.meeting),
    }
    yield { row, intervals, isRunning }
  }
}
