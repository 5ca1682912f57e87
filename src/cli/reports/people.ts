import { toText } from '../../api/to-text.ts'
import type { Invitee, UnnamedPerson } from '../lists/user-names.ts'
import type { Item } from '../output/views/views.ts'
import { type Interval, mergeIntervals } from './minutes.ts'
import type { ReportPlan } from './plan.ts'
import {
  type Attendance,
  isRunningSession,
  readAttendance,
  readStart,
  type TimeAnomaly,
} from './session-times.ts'

/** User, anonymous member or anonymous session, with connections to a room. */
export interface Participant extends UnnamedPerson {
  connections: number
  intervals: readonly Interval[]
  firstIn: string
  /** Null if the person is still in the room or the time is unknown. */
  lastOut: string | null
  isThere: boolean
}

interface SessionAttendance extends Pick<Attendance, 'interval' | 'isRunning'> {
  session: Item
  participant: Participant
}

export interface RoomAttendance {
  participants: readonly Participant[]
  /** Sorted, disjoint intervals in which at least one participant was in the room. */
  meeting: readonly Interval[]
  anomalies: ReadonlyMap<TimeAnomaly, number>
  sessions: number
  /**
   * Earliest readable session start by user, in milliseconds since 1970, even outside the span. Empty unless
   * requested.
   */
  firstStarts: ReadonlyMap<string, number>
  visits: readonly SessionAttendance[]
}

export interface RoomReport {
  room: Item
  attendance: RoomAttendance
  /** Invited users without attendance; blocked users only if requested. Undefined unless requested. */
  absent: readonly Invitee[] | undefined
}

interface CollectOptions extends Pick<ReportPlan, 'span' | 'now'> {
  /** Termination time, in milliseconds since 1970; NaN if unknown, undefined if the room counts as active. */
  terminatedAt: () => Promise<number | undefined>
  userOf: (member_id: unknown) => Promise<unknown>
  visits: boolean
  firstStarts: boolean
}

interface OpenParticipant extends Participant {
  intervals: Interval[]
  first: number
  last: number
}

/** Stores sessions only if `visits` is true, to save memory. */
export async function collectAttendance(
  pages: AsyncIterable<{ items: readonly Item[] }>,
  { span, now, terminatedAt, userOf, visits: wantsVisits, firstStarts: wantsStarts }: CollectOptions,
): Promise<RoomAttendance> {
  const participants = new Map<string, OpenParticipant>()
  const anomalies = new Map<TimeAnomaly, number>()
  const visits: SessionAttendance[] = []
  const firstStarts = new Map<string, number>()
  let sessions = 0
  const count = (anomaly: TimeAnomaly) => anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
  for await (const { items } of pages)
    for (const session of items) {
      sessions++
      const ended = isRunningSession(session) ? await terminatedAt() : undefined
      const attendance = readAttendance(session, { span, now, terminatedAt: ended })
      const isCounted = attendance !== undefined && typeof attendance !== 'string'
      if (typeof attendance === 'string') count(attendance)
      if (!isCounted && !wantsStarts) continue
      const { member_id = null } = session
      const givenUser = session['user_id'] === undefined ? await userOf(member_id) : session['user_id']
      const user_id = givenUser === '' ? null : (givenUser ?? null)
      const key = identifyParticipant(user_id, member_id, session)
      if (wantsStarts && user_id !== null) {
        const start = readStart(session)
        if (start < (firstStarts.get(key) ?? Number.POSITIVE_INFINITY)) firstStarts.set(key, start)
      }
      if (!isCounted) continue
      if (attendance.oddity) count(attendance.oddity)
      const known = participants.get(key)
      const participant = known ?? createParticipant({ user_id, member_id, name: session['name'] })
      if (!known) participants.set(key, participant)
      addAttendance(participant, attendance)
      // Some sessions of a user may lack the member ID.
      participant.member_id ??= member_id
      // Sessions may keep the name of a deleted user.
      participant.name ??= session['name']
      if (wantsVisits)
        visits.push({ session, participant, interval: attendance.interval, isRunning: attendance.isRunning })
    }
  const sorted = [...participants].sort(compareArrivals).map(([, participant]) => participant)
  for (const participant of sorted) participant.intervals = mergeIntervals(participant.intervals)
  return {
    participants: sorted,
    meeting: mergeIntervals(sorted.flatMap(({ intervals }) => intervals)),
    anomalies,
    sessions,
    firstStarts,
    visits: visits.sort((a, b) => a.interval[0] - b.interval[0]),
  }
}

function compareArrivals([keyA, a]: [string, OpenParticipant], [keyB, b]: [string, OpenParticipant]): number {
  const isAnonymous = ({ user_id }: OpenParticipant) => Number(user_id === null)
  return a.first - b.first || isAnonymous(a) - isAnonymous(b) || (keyA < keyB ? -1 : 1)
}

function identifyParticipant(user_id: unknown, member_id: unknown, { id }: Item): string {
  if (user_id !== null) return `user ${toText(user_id)}`
  return member_id === null ? `session ${toText(id)}` : `member ${toText(member_id)}`
}

function createParticipant({ user_id, member_id, name }: Omit<UnnamedPerson, 'blocked'>): OpenParticipant {
  // A spread would take 1.3 times the CPU time for a report on 100,000 people.
  return {
    user_id,
    member_id,
    name,
    connections: 0,
    intervals: [],
    firstIn: '',
    lastOut: null,
    isThere: false,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  }
}

function addAttendance(
  participant: OpenParticipant,
  { interval, entered, left, isRunning }: Attendance,
): void {
  const [start, end] = interval
  participant.connections++
  participant.intervals.push(interval)
  if (start < participant.first) {
    participant.first = start
    participant.firstIn = entered
  }
  // Of sessions with the same last time, a session without a known exit decides.
  if (end > participant.last || (end === participant.last && left === null)) {
    participant.last = end
    participant.lastOut = left
  }
  participant.isThere ||= isRunning
}

/** Attendee or invitee of a room. */
export interface Person {
  /** Identity of a user across all rooms, or of an anonymous participant in one room. */
  key: string
  user_id: unknown
  name: unknown
  role: unknown
  /** True if the member is blocked; undefined if no member was found. */
  blocked: boolean | undefined
  /** Time from which meetings count, in milliseconds since 1970; negative infinity if unknown. */
  countedFrom: number
  intervals: readonly Interval[]
  /** End of an interval without a known exit time, in milliseconds since 1970. */
  openEnd: number | undefined
  isThere: boolean
}

/** A user with several participants is one person. */
export function listPeople({ room, attendance, absent = [] }: RoomReport): Person[] {
  const people = new Map<string, Person>()
  const { participants, firstStarts } = attendance
  // Attendance before the invitation implies an earlier invitation, for example of a member added again.
  const countFrom = (key: string, invitedAt = Number.NEGATIVE_INFINITY) =>
    Math.min(invitedAt, firstStarts.get(key) ?? Number.POSITIVE_INFINITY)
  const nowhere = { intervals: [], openEnd: undefined, isThere: false }
  for (const [i, participant] of participants.entries()) {
    const { user_id, intervals, blocked, role, invitedAt } = participant
    const key = user_id === null ? `anonymous ${i} ${toText(room['id'])}` : createUserKey(user_id)
    const known = people.get(key)
    const countedFrom = countFrom(key, invitedAt)
    const person = known ?? { key, user_id, name: null, role: null, blocked, countedFrom, ...nowhere }
    if (!known) people.set(key, person)
    person.intervals = known ? mergeIntervals([...known.intervals, ...intervals]) : intervals
    if (participant.lastOut === null) person.openEnd ??= intervals.at(-1)?.[1]
    person.isThere ||= participant.isThere
    person.name ??= nameParticipant(participant)
    person.role ??= role ?? null
    person.blocked ??= blocked
    person.countedFrom = Math.min(person.countedFrom, countedFrom)
  }
  for (const { user_id, name, role, blocked, invitedAt } of absent) {
    const key = createUserKey(user_id)
    const person = { key, user_id, name, role, blocked, countedFrom: countFrom(key, invitedAt), ...nowhere }
    if (!people.has(key)) people.set(key, person)
  }
  return [...people.values()]
}

export function nameParticipant({ name = null, user_id, member_id }: UnnamedPerson): unknown {
  return user_id === null ? (name ?? member_id) : name
}

const createUserKey = (user_id: unknown) => `user ${toText(user_id)}`
