import type { Item } from '../output/views/views.ts'
import type { By } from './groupings.ts'
import type { Interval } from './intervals.ts'
import { minutesOf, shareOf } from './measures.ts'
import type { Participant, RoomAttendance } from './room-attendance.ts'
import { timesOf } from './session-times.ts'

/** Who was in a room, and who was not. */
export interface RoomReport {
  room: Item
  attendance: RoomAttendance
  /** Members who were invited and never came; undefined where nobody asked for them. */
  absent: readonly Invited[] | undefined
}

/** Somebody who was invited. */
export interface Invited {
  user_id: unknown
  name: unknown
  blocked: boolean
}

export interface RowOptions {
  /** Who was there for less does not count as present. */
  minMinutes: number
  /** Whether those who do not count as present are listed. */
  absent: boolean
  /** Whether rows say who is blocked. */
  includeBlocked?: boolean
}

/** One row of a report. */
export interface ReportRow {
  /** The fields of CSV and JSON. */
  row: Item
  /** The time that it is about: in order, without overlaps. */
  intervals: readonly Interval[]
  /** Whether that goes on. */
  isRunning: boolean
}

/** The rows of one room. */
export const reportRowsBy: Readonly<
  Record<By, (report: RoomReport, options: RowOptions) => Iterable<ReportRow>>
> = {
  user: byUser,
  room: byRoom,
  session: bySession,
}

/** The people of a room: those who came, in that order, then those who never did. */
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

/** Nobody knows an anonymous participant by anything but the id of the member. */
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

/** Who was there last: of several, somebody who still is. */
function lastOf(participants: readonly Participant[]): Participant | undefined {
  const endOf = ({ intervals }: Participant) => intervals.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY
  const isLater = (a: Participant, b: Participant) =>
    endOf(a) > endOf(b) || (endOf(a) === endOf(b) && a.isThere)
  return participants.reduce<Participant | undefined>(
    (last, other) => (last === undefined || isLater(other, last) ? other : last),
    undefined,
  )
}

/** Made as they are used: a room may have very many. */
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
