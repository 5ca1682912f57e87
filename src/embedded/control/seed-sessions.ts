import type { MemberType } from '../../api/vocabulary.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import { toSession } from '../records/records.ts'
import { isParticipant } from '../sessions/roster.ts'
import { maxTotal, type SessionRow } from '../store/rows.ts'
import type { SeedSession } from './seed-schema.ts'

/** Ended session of a member, or of an anonymous participant. */
export interface Visit {
  id: string
  memberId: string
  userId: string | null
  type: MemberType
  start: number
  end: number
}

export function toVisit(
  { connected_at, disconnected_at }: SeedSession,
  who: Pick<Visit, 'id' | 'memberId' | 'userId' | 'type'>,
): Visit {
  return { ...who, start: connected_at, end: disconnected_at }
}

/** Adds ended sessions to a room, with the start and the duration of its meetings. Call inside `store.write`. */
export function addVisits({ store }: HandlerContext, roomId: string, visits: readonly Visit[]): void {
  if (visits.length === 0) return
  // Lists are in the order of insertion.
  for (const { id, memberId, userId, type, start, end } of visits.toSorted((a, b) => a.start - b.start))
    store.insert(
      `INSERT INTO sessions (id, room_id, member_id, user_id, type, connected_at, disconnected_at, end_reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'left')`,
      ...[id, roomId, memberId, userId, type, start, end],
    )
  const participations = visits.filter(isParticipant)
  if (participations.length === 0) return
  store.run(
    'UPDATE rooms SET started_at = ?, meeting_ms = ? WHERE id = ?',
    Math.min(...participations.map(({ start }) => start)),
    Math.min(sumMeetingMs(participations), maxTotal),
    roomId,
  )
}

export function listSeeded({ store, now }: HandlerContext, roomId: string): unknown[] {
  const rows = store.all<SessionRow>('SELECT * FROM sessions WHERE room_id = ? ORDER BY seq DESC', roomId)
  return rows.map((row) => toSession(row, now()))
}

/** Sums the time during which two or more members are connected (API specification, section 2.7). */
function sumMeetingMs(visits: readonly Visit[]): number {
  const changes = visits
    .flatMap(({ memberId, start, end }) => [
      { at: start, memberId, change: 1 },
      { at: end, memberId, change: -1 },
    ])
    .sort((a, b) => a.at - b.at)
  const connected = new Map<string, number>()
  let since = 0
  let total = 0
  for (const { at, memberId, change } of changes) {
    if (connected.size >= 2) total += at - since
    since = at
    const sessions = (connected.get(memberId) ?? 0) + change
    if (sessions === 0) connected.delete(memberId)
    else connected.set(memberId, sessions)
  }
  return total
}
