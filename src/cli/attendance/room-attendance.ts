import { textOf } from '../../api/text-of.ts'
import type { Item } from '../output/views/views.ts'
import { type Interval, union } from './intervals.ts'
import { type Attendance, hasEnd, type Oddity, type Reading, readStay } from './session-times.ts'

/** Somebody who was in a room, however often they connected. */
export interface Participant {
  /** Null for an anonymous participant. */
  user_id: unknown
  member_id: unknown
  /** Undefined until somebody tells it. */
  name?: unknown
  /** Whether the member is blocked now; undefined where nobody asked for that. */
  blocked?: boolean
  connections: number
  /** When they were there: in order, and without overlaps once the sessions have been read. */
  intervals: readonly Interval[]
  /** As the service tells it. */
  firstIn: string
  /** As the service tells it; null while they are there, and where nobody knows. */
  lastOut: string | null
  isThere: boolean
}

/** One session in a report about sessions. */
export interface Visit extends Pick<Attendance, 'interval' | 'isRunning'> {
  session: Item
  participant: Participant
}

/** Who was in one room, and when. */
export interface RoomAttendance {
  /** In the order in which they came. */
  participants: readonly Participant[]
  /** The time in which anybody was there: in order, without overlaps. */
  meeting: readonly Interval[]
  /** Number of sessions with odd times. */
  oddities: ReadonlyMap<Oddity, number>
  /** Each session in the order of their beginnings, where that is asked for. */
  visits: readonly Visit[]
}

interface Gathering {
  span: Interval
  now: number
  /** When the room was terminated, as {@link Reading} has it: asked only where a session has no end. */
  terminatedAt: () => Promise<number | undefined>
  /** The user of a member, for sessions that do not say. */
  userOf: (member_id: unknown) => Promise<unknown>
  /** Whether each session is wanted. */
  visits: boolean
}

interface Growing extends Participant {
  intervals: Interval[]
  first: number
  last: number
}

/** Puts the sessions of one room together: what is kept of each is when it was, and whose. */
export async function collectAttendance(
  pages: AsyncIterable<{ items: readonly Item[] }>,
  { span, now, terminatedAt, userOf, visits: wantsVisits }: Gathering,
): Promise<RoomAttendance> {
  const participants = new Map<string, Growing>()
  const oddities = new Map<Oddity, number>()
  const visits: Visit[] = []
  const note = (oddity: Oddity) => oddities.set(oddity, (oddities.get(oddity) ?? 0) + 1)
  for await (const { items } of pages)
    for (const session of items) {
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
    visits: visits.sort((a, b) => a.interval[0] - b.interval[0]),
  }
}

/** Who came first; of those who came at once, users before anonymous participants. */
function byArrival([keyA, a]: [string, Growing], [keyB, b]: [string, Growing]): number {
  const isAnonymous = ({ user_id }: Growing) => Number(user_id === null)
  return a.first - b.first || isAnonymous(a) - isAnonymous(b) || (keyA < keyB ? -1 : 1)
}

/** Who it is: a user, else a member, else nobody else. */
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
  // Of two that end at once, the one that still runs counts.
  if (end > participant.last || (end === participant.last && left === null)) {
    participant.last = end
    participant.lastOut = left
  }
  participant.isThere ||= isRunning
  return participant
}
