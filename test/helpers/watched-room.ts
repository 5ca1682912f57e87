import { isDeepStrictEqual } from 'node:util'
import { TransportError, type WireResponse } from '../../src/api/wire.ts'
import type { HostOptions, TestHost } from './host.ts'
import { answer, createWorld, type World } from './world.ts'

const roomId = 'r1'

/** Creates an online session with the fields of the API specification (“Session”). */
export function session(id: unknown, rest: object = {}) {
  return {
    id,
    member_id: `m-${id}`,
    user_id: `u-${id}`,
    connected_at: '2026-01-02T03:00:00.000Z',
    disconnected_at: null,
    ...rest,
  }
}

/** Responses of the service to one poll of the room. */
export interface Look {
  sessions?: readonly object[]
  room?: object
  /** Maximum number of sessions per page; if undefined, a response has all sessions and no `paging`. */
  page?: number
  /** Response to every request, or error with which every request fails. */
  instead?: WireResponse | Error | undefined
}

/** Response bodies for members and users, by path. */
export type People = Readonly<Record<string, object>>

/** Creates a service whose room changes at each poll. A poll beyond `looks` sends SIGINT to the program. */
export async function watchedRoom(looks: readonly Look[], people: People = {}) {
  const world = await createWorld()
  let look = -1
  let running: { host: TestHost } | undefined
  world.intercept = async ({ url }) => {
    const path = url.slice(url.indexOf('/v1') + 3)
    if (path === `/rooms/${roomId}`) look++
    if (look >= looks.length) running?.host.signal('SIGINT')
    const now = looks[Math.min(look, looks.length - 1)] ?? {}
    if (now.instead instanceof Error) throw now.instead
    if (now.instead) return now.instead
    return respond(path, now, people)
  }
  const start = (line = '', options: HostOptions = {}, called = roomId) => {
    const argv = `sessions watch ${called} ${line}`.trim().split(' ')
    const started = world.start(argv, options)
    running = started
    return started
  }
  return { world, start, run: (...given: Parameters<typeof start>) => start(...given).done }
}

function respond(path: string, { sessions = [], room, page }: Look, people: People): WireResponse {
  const { pathname, searchParams } = new URL(path, 'http://x')
  if (pathname === '/rooms')
    return answer(200, {
      rooms: searchParams.get('name') === 'Standup' ? [{ id: roomId, name: 'Standup' }] : [],
    })
  if (pathname === `/rooms/${roomId}`)
    return answer(200, { room: { id: roomId, name: 'Standup', type: 'open', terminated_at: null, ...room } })
  if (pathname !== `/rooms/${roomId}/sessions`) {
    const found = people[pathname]
    return found ? answer(200, found) : answer(404, { error: { code: 'not_found', message: 'unknown' } })
  }
  if (!page) return answer(200, { sessions })
  const offset = Number(searchParams.get('offset') ?? 0)
  const limit = Math.min(page, Number(searchParams.get('limit') ?? page))
  return answer(200, {
    sessions: sessions.slice(offset, offset + limit),
    paging: { limit, offset, total: sessions.length },
  })
}

export const away = () => new TransportError('connection refused', false)

export const events = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/**
 * Returns the IDs of the sessions that are online according to the events of a watch.
 * @throws {Error} for an event that contradicts the earlier events, such as a wrong `online` count
 */
export function replay(told: readonly Record<string, unknown>[]): Set<unknown> {
  const there = new Set<unknown>()
  for (const { event, session_id, online } of told) {
    const isThere = there.has(session_id)
    if (event === 'present' || event === 'joined') {
      if (isThere) throw new Error(`${session_id} was there already`)
      there.add(session_id)
    }
    if (event === 'left' && !there.delete(session_id)) throw new Error(`${session_id} was not there`)
    if (online !== undefined && !isDeepStrictEqual(online, there.size))
      throw new Error(`${there.size} are there, not ${online}`)
  }
  return there
}

export type { World }
