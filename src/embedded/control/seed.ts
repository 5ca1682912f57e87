import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { findSegmentProblem } from '../../api/path.ts'
import { resources } from '../../api/resources.ts'
import type { MemberType } from '../../api/vocabulary.ts'
import { UsageError } from '../../errors.ts'
import { Fault } from '../common/faults.ts'
import type { Ids } from '../common/ids.ts'
import { requireStorable } from '../common/values.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import { runHandler } from '../handlers/index.ts'
import { toSession } from '../records/records.ts'
import { isParticipant } from '../sessions/roster.ts'
import { maxTotal, type SessionRow } from '../store/rows.ts'
import type { ParsedSeed, SeedRoom, SeedSession, SeedUser } from './seed-schema.ts'

/** Generated IDs and tokens of a seed, equal each time the seed is applied. */
export class SeedIds {
  readonly #generated: string[] = []
  #next = 0

  rewind(): void {
    this.#next = 0
  }

  take(generate: () => string): string {
    const id = this.#generated[this.#next] ?? generate()
    this.#generated[this.#next++] = id
    return id
  }
}

export interface Seeded {
  users: unknown[]
  rooms: (Record<string, unknown> & { members: unknown[]; pages: unknown[]; sessions: unknown[] })[]
}

/** Adds the records of a seed in one transaction. */
export async function applySeed(
  context: HandlerContext,
  { users = [], rooms = [] }: ParsedSeed,
  ids: SeedIds,
): Promise<Seeded> {
  ids.rewind()
  return context.store.write(() => ({
    users: users.map((user, i) => seedUser(context, user, `users[${i}]`, ids)),
    rooms: rooms.map((room, i) => seedRoom(context, room, `rooms[${i}]`, ids)),
  }))
}

function seedUser(context: HandlerContext, user: SeedUser, path: string, ids: SeedIds): unknown {
  const { access_token, ...body } = user
  return create('createUser', context, path, ids, { body, chosen: [undefined, access_token] })['user']
}

function seedRoom(
  context: HandlerContext,
  room: SeedRoom,
  path: string,
  ids: SeedIds,
): Seeded['rooms'][number] {
  const problem = findSegmentProblem('id', room.id ?? 'id')
  if (problem !== undefined) throw new UsageError(`the seed cannot be used: ${path}: ${problem}`)
  const { id, is_terminated, members = [], pages = [], sessions = [], ...body } = room
  if (sessions.length > 0 && room.type !== 'open')
    throw new UsageError(
      `the seed cannot be used: ${path}.sessions: anonymous participants can join only rooms of type open`,
    )
  const created = create('createRoom', context, path, ids, { body, chosen: [id] })['room'] as { id: string }
  const params = { room_id: created.id, id: created.id }
  const run = (name: OperationName, place: string, body: unknown, more: object = {}, chosen: string[] = []) =>
    create(name, context, `${path}${place}`, ids, { params: { ...params, ...more }, body, chosen })
  const added = members.map(({ id, is_blocked, sessions, ...member }, i) => {
    const place = `.members[${i}]`
    const { member: first } = run('addMember', place, member, {}, id === undefined ? [] : [id])
    if (!is_blocked) return first
    return run('updateMember', place, { is_blocked }, { member_id: (first as { id: string }).id })['member']
  })
  const listed = pages.length > 0 ? (run('createPages', '.pages', pages)['pages'] as unknown[]) : []
  const takeId = (id: string | undefined) => id ?? ids.take(context.newId)
  addVisits(context, created.id, [
    ...members.flatMap(({ user_id, sessions = [] }, i) => {
      const { id: memberId, type } = added[i] as { id: string; type: MemberType }
      return sessions.map((visit) => ({ ...visit, id: takeId(visit.id), memberId, userId: user_id, type }))
    }),
    ...sessions.map((visit) => {
      const id = takeId(visit.id)
      return { ...visit, id, memberId: ids.take(context.newId), userId: null, type: 'guest' } as const
    }),
  ])
  if (is_terminated) run('updateRoom', '', { is_terminated })
  const { room: last } = runHandler('getRoom', context, { params, query: {} }) as { room: object }
  return { ...last, members: added, pages: listed, sessions: listSeeded(context, created.id) }
}

/** @param chosen IDs and tokens that the seed chooses, in the order in which the handler requests them */
function create(
  name: OperationName,
  context: HandlerContext,
  path: string,
  ids: SeedIds,
  { params = {}, body, chosen }: { params?: object; body: unknown; chosen: readonly (string | undefined)[] },
): Record<string, unknown> {
  let asked = 0
  const choose = (generate: () => string) => chosen[asked++] ?? ids.take(generate)
  const { newId, newToken } = context
  const seedIds: Ids = { newId: () => choose(newId), newToken: () => choose(newToken) }
  try {
    requireStorable(body, resources[endpoints[name].resource].fields)
    const input = { params, query: {}, body }
    return runHandler(name, { ...context, ...seedIds }, input) as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new UsageError(`the seed cannot be used: ${path}: ${error.message}`)
  }
}

interface Visit extends SeedSession {
  id: string
  memberId: string
  userId: string | null
  type: MemberType
}

/** Adds ended sessions, and updates the times of the room. Call inside `store.write`. */
function addVisits({ store }: HandlerContext, roomId: string, visits: readonly Visit[]): void {
  if (visits.length === 0) return
  // Lists show the last inserted session first.
  const sorted = visits.toSorted((a, b) => a.connected_at - b.connected_at)
  for (const { id, memberId, userId, type, connected_at, disconnected_at } of sorted)
    store.insert('sessions', {
      ...{ id, room_id: roomId, member_id: memberId, user_id: userId, type },
      ...{ connected_at, disconnected_at, end_reason: 'left' },
    })
  const participations = visits.filter(isParticipant)
  if (participations.length === 0) return
  const started_at = Math.min(...participations.map(({ connected_at }) => connected_at))
  const meeting_ms = Math.min(sumMeetingMs(participations), maxTotal)
  store.update('rooms', { id: roomId }, { started_at, meeting_ms })
}

function listSeeded({ store, now }: HandlerContext, roomId: string): unknown[] {
  const rows = store.all<SessionRow>('SELECT * FROM sessions WHERE room_id = ? ORDER BY seq DESC', roomId)
  return rows.map((row) => toSession(row, now()))
}

/** Sums the time with two or more participants (API specification, “Create Room request body”). */
function sumMeetingMs(visits: readonly Visit[]): number {
  const changes = visits
    .flatMap(({ memberId, connected_at, disconnected_at }) => [
      { at: connected_at, memberId, change: 1 },
      { at: disconnected_at, memberId, change: -1 },
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
