import type { Item } from '../output/views/views.ts'
import type { By } from './groupings.ts'
import type { Interval } from './intervals.ts'
import { minutesOf, shareOf } from './measures.ts'
import type { Participant, RoomAttendance } from './room-attendance.ts'
import { timesOf } from './session-times.ts'

export interface RoomReport {
  room: Item
  attendance: RoomAttendance
  /** Undefined if members were not read. */
  absent: readonly Invited[] | undefined
}

export interface Invited {
  user_id: unknown
  name: unknown
  blocked: boolean
}

export interface RowOptions {
  /** Minimum attendance of a person who counts as present, in minutes. */
  minMinutes: number
  /** Includes people who do not count as present. */
  absent: boolean
  /** Includes the `blocked` field. */
  includeBlocked?: boolean
}

export interface ReportRow {
  row: Item
  /** Disjoint intervals of the row, sorted. */
  intervals: readonly Interval[]
  isRunning: boolean
}

export const reportRowsBy: Readonly<
  Record<By, (report: RoomReport, options: RowOptions) => Iterable<ReportRow>>
> = {
  user: byUser,
  room: byRoom,
  session: bySession,
}

/** Returns the people of a room: participants by first entry, then absent members. */
export function byUser(
  { room, attendance: { participants, meeting }, absent = [] }: RoomReport,
  options: RowOptions,
): ReportRow[] {
  const blockedIn = ({ blocked = false }: Pick<Participant, 'blocked'>) =>
    options.includeBlocked ? { blocked } : {}
  const came = participants.map((participant): ReportRow => {
    const { intervals, connections, isThere } = participant
    const minutes = minutesOf(intervals)
    const row = {
      room_id: room['id'],
      user_id: participant.user_id,
      name: nameOf(participant),
      first_in: participant.firstIn,
      last_out: participant.lastOut,
      connections,
      minutes,
      share: shareOf(intervals, meeting),
      present: minutes >= options.minMinutes,
      ...blockedIn(participant),
    }
    return { row, intervals, isRunning: isThere }
  })
  const never = absent.map(({ user_id, name, blocked }): ReportRow => {
    const row = {
      room_id: room['id'],
      user_id,
      name,
      first_in: null,
      last_out: null,
      connections: 0,
      minutes: 0,
      share: shareOf([], meeting),
      present: false,
      ...blockedIn({ blocked }),
    }
    return { row, intervals: [], isRunning: false }
  })
  return [...came, ...never].filter(({ row }) => options.absent || row.present)
}

/** Names anonymous participants by their member ID. */
function nameOf({ name = null, user_id, member_id }: Participant): unknown {
  return user_id === null ? (name ?? member_id) : name
}

function byRoom(report: RoomReport, options: RowOptions): ReportRow[] {
  const { room, attendance, absent } = report
  const { participants, meeting } = attendance
  const people = byUser(report, { ...options, absent: true })
  const present = people.filter(({ row }) => row['present'] === true)
  const last = lastOf(participants)
  const row = {
    room_id: room['id'],
    name: room['name'] ?? null,
    first_in: participants[0]?.firstIn ?? null,
    last_out: last?.lastOut ?? null,
    participants: present.length,
    absent: absent === undefined ? null : people.length - present.length,
    connections: participants.reduce((sum, { connections }) => sum + connections, 0),
    minutes: minutesOf(meeting),
  }
  return [{ row, intervals: meeting, isRunning: last?.isThere ?? false }]
}

/** Finds the last participant to leave, preferably one who is still there. */
function lastOf(participants: readonly Participant[]): Participant | undefined {
  const endOf = ({ intervals }: Participant) => intervals.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY
  const isLater = (a: Participant, b: Participant) =>
    endOf(a) > endOf(b) || (endOf(a) === endOf(b) && a.isThere)
  return participants.reduce<Participant | undefined>(
    (last, other) => (last === undefined || isLater(other, last) ? other : last),
    undefined,
  )
}

/** Generates rows on demand, because a room may have very many sessions. */
function* bySession({ room, attendance }: RoomReport, { minMinutes }: RowOptions): Generator<ReportRow> {
  for (const { session, participant, interval, isRunning } of attendance.visits) {
    const intervals = [interval]
    const minutes = minutesOf(intervals)
    if (minutes < minMinutes) continue
    const row = {
      room_id: room['id'],
      session_id: session['id'],
      member_id: session['member_id'] ?? null,
      user_id: participant.user_id,
      name: nameOf(participant),
      ...timesOf(session),
      minutes,
      share: shareOf(intervals, attendance.meeting),
    }
    yield { row, intervals, isRunning }
  }
}
