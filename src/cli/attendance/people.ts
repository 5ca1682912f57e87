import { toText } from '../../api/to-text.ts'
import type { Item } from '../output/views/views.ts'
import { type Interval, mergeIntervals } from './intervals.ts'
import type { RoomReport } from './rows.ts'

/** Person who attended a room or was invited to it. */
export interface Person {
  /** Identity of a user across all rooms, or of an anonymous participant in one room. */
  key: string
  user_id: unknown
  name: unknown
  role: unknown
  /** Blocked state of a member; undefined for other people. */
  blocked: boolean | undefined
  /** Time from which meetings count for a member, in milliseconds since 1970; infinite if unknown. */
  countedFrom: number
  intervals: readonly Interval[]
  /** End of the last interval, in milliseconds since 1970; undefined if the exit time is known. */
  openEnd: number | undefined
  isThere: boolean
}

/** Returns the people of a room. A user whom the service shows as several participants is one person. */
export function listPeople({ room, attendance, absent = [] }: RoomReport): Person[] {
  const people = new Map<string, Person>()
  const { firstStarts } = attendance
  // Who attended before the invitation was invited before, such as a member who was added again.
  const countFrom = (key: string, invitedAt = Number.NEGATIVE_INFINITY) =>
    Math.min(invitedAt, firstStarts.get(key) ?? Number.POSITIVE_INFINITY)
  for (const [i, participant] of attendance.participants.entries()) {
    const { user_id, member_id, intervals, isThere } = participant
    const key = user_id === null ? createAnonymousKey(room, i) : createUserKey(user_id)
    const known = people.get(key)
    const openEnd = participant.lastOut === null ? intervals.at(-1)?.[1] : undefined
    const name = participant.name ?? (user_id === null ? member_id : null)
    if (!known)
      people.set(key, {
        ...{ key, user_id, name, isThere, intervals, openEnd },
        role: participant.role ?? null,
        blocked: participant.blocked,
        countedFrom: countFrom(key, participant.invitedAt),
      })
    else {
      known.intervals = mergeIntervals([...known.intervals, ...intervals])
      known.openEnd ??= openEnd
      known.isThere ||= isThere
      known.name ??= name
      known.role ??= participant.role ?? null
      known.blocked ??= participant.blocked
      known.countedFrom = Math.min(known.countedFrom, countFrom(key, participant.invitedAt))
    }
  }
  for (const { user_id, name, role, blocked, invitedAt } of absent) {
    const key = createUserKey(user_id)
    const nowhere = { intervals: [], openEnd: undefined, isThere: false }
    const countedFrom = countFrom(key, invitedAt)
    const person = { key, user_id, name, role, blocked, countedFrom, ...nowhere }
    if (!people.has(key)) people.set(key, person)
  }
  return [...people.values()]
}

const createUserKey = (user_id: unknown) => `user ${toText(user_id)}`

function createAnonymousKey({ id }: Item, number: number): string {
  return `anonymous ${number} ${toText(id)}`
}
