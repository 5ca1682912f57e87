import { textOf } from '../../api/text-of.ts'
import type { Item } from '../output/views/views.ts'
import { type Interval, union } from './intervals.ts'
import { type Attendance, hasEnd, type Oddity, type Reading, readStay } from './session-times.ts'

export interface Participant {
  /** Null for an anonymous participant. */
  user_id: unknown
  member_id: unknown
  /** Undefined until it is looked up. */
  name?: unknown
  /** Undefined if members were not read. */
  blocked?: boolean
  connections: number
  /** Sorted; disjoint after all sessions are read. */
  intervals: readonly Interval[]
  firstIn: string
  /** Timestamp of the service; null if the person is still there or the time is unknown. */
  lastOut: string | null
  isThere: boolean
}

export interface Visit extends Pick<Attendance, 'interval' | 'isRunning'> {
  session: Item
  participant: Participant
}

export interface RoomAttendance {
  /** Sorted by first entry. */
  participants: readonly Participant[]
  /** Disjoint intervals in which anybody was there, sorted. */
  meeting: readonly Interval[]
  oddities: ReadonlyMap<Oddity, number>
  /** Number of sessions, outside of the span as well. */
  sessions: number
  visits: readonly Visit[]
}

interface Gathering {
  span: Interval
  now: number
  /** Reads the time of termination (see {@link Reading}). Used only for sessions without an end. */
  terminatedAt: () => Promise<number | undefined>
  userOf: (member_id: unknown) => Promise<unknown>
  visits: boolean
}

interface Growing extends Participant {
  intervals: Interval[]
  first: number
  last: number
}

/** Builds the attendance of a room from its sessions. Of each session, only times and person are kept. */
export async function collectAttendance(
  pages: AsyncIterable<{ items: readonly Item[] }>,
  { span, now, terminatedAt, userOf, visits: wantsVisits }: Gathering,
): Promise<RoomAttendance> {
  const participants = new Map<string, Growing>()
  const oddities = new Map<Oddity, number>()
  const visits: Visit[] = []
  let sessions = 0
  const note = (oddity: Oddity) => oddities.set(oddity, (oddities.get(oddity) ?? 0) + 1)
  for await (const { items } of pages)
    for (const session of items) {
      sessions++
      const reading: Reading = { span, now, terminatedAt: hasEnd(session) ? undefined : await terminatedAt() }
      const stay = readStay(session, reading)
      if (stay === 'no start') note(stay)
      if (stay === undefined || stay === 'no start') continue
      if (stay.oddity) note(stay.oddity)
      const { member_id = null } = session
      const told = session['user_id'] === undefined ? await userOf(member_id) : session['user_id']
      const user_id = told === '' ? null : (told ?? null)
      const key = keyOf(user_id, member_id, session)
      const known = participants.get(key)
      const participant = known
        ? joined(known, stay)
        : arrived(stay, { user_id, member_id, name: session['name'] })
      if (!known) participants.set(key, participant)
      if (wantsVisits)
        visits.push({ session, participant, interval: stay.interval, isRunning: stay.isRunning })
    }
  const everybody = [...participants].sort(byArrival).map(([, participant]) => participant)
  for (const participant of everybody) participant.intervals = union(participant.intervals)
  return {
    participants: everybody,
    meeting: union(everybody.flatMap(({ intervals }) => intervals)),
    oddities,
    sessions,
    visits: visits.sort((a, b) => a.interval[0] - b.interval[0]),
  }
}

/** Sorts by first entry. At the same time, users come before anonymous participants. */
function byArrival([keyA, a]: [string, Growing], [keyB, b]: [string, Growing]): number {
  const isAnonymous = ({ user_id }: Growing) => Number(user_id === null)
  return a.first - b.first || isAnonymous(a) - isAnonymous(b) || (keyA < keyB ? -1 : 1)
}

/** Identifies a person by user, else by member, else by session. */
function keyOf(user_id: unknown, member_id: unknown, { id }: Item): string {
  if (user_id !== null) return `user ${textOf(user_id)}`
  return member_id === null ? `session ${textOf(id)}` : `member ${textOf(member_id)}`
}

function arrived(stay: Attendance, who: Pick<Participant, 'user_id' | 'member_id' | 'name'>): Growing {
  const [first, last] = stay.interval
  return {
    ...who,
    connections: 1,
    intervals: [stay.interval],
    firstIn: stay.entered,
    lastOut: stay.left,
    isThere: stay.isRunning,
    first,
    last,
  }
}

function joined(participant: Growing, { interval, entered, left, isRunning }: Attendance): Growing {
  const [start, end] = interval
  participant.connections++
  participant.intervals.push(interval)
  if (start < participant.first) {
    participant.first = start
    participant.firstIn = entered
  }
  // Of two sessions that end together, a running one determines the time of exit.
  if (end > participant.last || (end === participant.last && left === null)) {
    participant.last = end
    participant.lastOut = left
  }
  participant.isThere ||= isRunning
  return participant
}
