import type { WireRequest, WireResponse } from '../../src/api/wire.ts'
import { answer, type World } from './world.ts'

type Thing = Record<string, unknown>

export interface RoomInUse {
  room: Thing & { id: string }
  sessions?: readonly Thing[]
  members?: number
}

/** Differences between a service and the embedded service. */
export interface UseDifferences {
  /** True if members have no total, and sessions have no `paging`. */
  withoutTotals?: boolean
  /** True if totals of members and sessions count only the page. */
  countsPages?: boolean
  /** True if `is_connecting` has no effect. */
  ignoresFilter?: boolean
  /** True if null fields of sessions are omitted. */
  leavesNullsOut?: boolean
  /** True if requests for sessions with a `limit` are refused. */
  refusesLimit?: boolean
  /** Returns the response to use instead; undefined for the default. */
  instead?: (path: string) => WireResponse | undefined
}

/**
 * Makes the service of a world return these rooms.
 * @returns a function that lists requests, as `/rooms/r1` or `PUT /rooms/r1`, except reads of the room list
 */
export function withRoomsInUse(
  world: World,
  rooms: readonly RoomInUse[],
  differences: UseDifferences = {},
): () => string[] {
  world.intercept = async (request) => respond(request, rooms, differences)
  return () =>
    world.requests.flatMap(({ method, url }) => {
      const path = url.slice(url.indexOf('/v1') + 3)
      return method === 'GET' && /^\/rooms(\?|$)/.test(path)
        ? []
        : `${method === 'GET' ? '' : `${method} `}${path}`
    })
}

function respond(
  { method, url, body = '{}' }: WireRequest,
  rooms: readonly RoomInUse[],
  differences: UseDifferences,
): WireResponse {
  const { pathname, searchParams } = new URL(url)
  const [, , , id, list] = pathname.split('/')
  const instead = differences.instead?.(pathname.slice(3))
  if (instead) return instead
  const found = rooms.find(({ room }) => room.id === id)
  if (id !== undefined && !found) return answer(404, { error: { message: 'no such room' } })
  if (!found)
    return answer(
      200,
      pageOf(
        'rooms',
        rooms.map(({ room }) => room),
        searchParams,
        {},
      ),
    )
  if (list === 'members') {
    const members = Array.from({ length: found.members ?? 0 }, (_, i) => ({
      id: `m${i}`,
      user_id: `u${i}`,
      type: 'guest',
    }))
    return answer(200, pageOf('members', members, searchParams, differences))
  }
  if (list === 'sessions') {
    if (differences.refusesLimit && searchParams.has('limit'))
      return answer(400, { error: { message: 'unknown parameter' } })
    const wanted = differences.ignoresFilter ? null : searchParams.get('is_connecting')
    const held = (found.sessions ?? []).filter(
      ({ disconnected_at }) => wanted === null || (disconnected_at === null) === (wanted === 'true'),
    )
    const sent = differences.leavesNullsOut
      ? held.map((session) =>
          Object.fromEntries(Object.entries(session).filter(([, value]) => value !== null)),
        )
      : held
    const isPaged = !differences.withoutTotals && searchParams.has('limit')
    return answer(200, isPaged ? pageOf('sessions', sent, searchParams, differences) : { sessions: sent })
  }
  // A change gets a successful response and is not stored.
  const terminated_at = JSON.parse(body).is_terminated ? '2026-01-02T03:04:05.000Z' : null
  const changed = method === 'PUT' ? { ...found.room, terminated_at } : found.room
  return answer(200, { room: method === 'DELETE' ? { id } : changed })
}

function pageOf(
  key: string,
  items: readonly Thing[],
  query: URLSearchParams,
  { withoutTotals, countsPages }: UseDifferences,
) {
  const limit = Number(query.get('limit') ?? 30)
  const offset = Number(query.get('offset') ?? 0)
  const sent = items.slice(offset, offset + limit)
  const total = countsPages ? sent.length : items.length
  return { [key]: sent, paging: { limit, offset, ...(withoutTotals ? {} : { total }) } }
}
