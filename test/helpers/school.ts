import type { WireResponse } from '../../src/api/wire.ts'
import { answer, type World } from './world.ts'

type Thing = Record<string, unknown>

export interface Lesson {
  room?: Thing
  sessions?: readonly Thing[]
  members?: readonly Thing[]
}

/** Makes the service of a world return these lessons, by room ID, and these users. */
export function school(
  world: World,
  lessons: Readonly<Record<string, Lesson>>,
  users: readonly Thing[] = [],
): void {
  const rooms = Object.entries(lessons).map(([id, { room }]) => ({ id, type: 'open', name: id, ...room }))
  world.intercept = async ({ url }) => answerFor(new URL(url), lessons, rooms, users)
}

function answerFor(
  { pathname, searchParams }: URL,
  lessons: Readonly<Record<string, Lesson>>,
  rooms: readonly Thing[],
  users: readonly Thing[],
): WireResponse {
  const [, , kind, id = '', part] = pathname.split('/')
  const page = (key: string, items: readonly Thing[] = []) => {
    const offset = Number(searchParams.get('offset') ?? 0)
    const limit = Number(searchParams.get('limit') ?? 30)
    const paging = { limit, offset, total: items.length }
    return answer(200, { [key]: items.slice(offset, offset + limit), paging })
  }
  if (kind === 'users') return page('users', users)
  if (id === '') return page('rooms', rooms)
  const lesson = lessons[decodeURIComponent(id)]
  const room = rooms.find((room) => room.id === decodeURIComponent(id))
  if (!lesson || !room) return answer(404, { error: { code: 'not_found', message: 'no such room' } })
  if (part === 'members') return page('members', lesson.members)
  return part === 'sessions' ? answer(200, { sessions: lesson.sessions ?? [] }) : answer(200, { room })
}

/** Creates a session on 2026-01-01 from UTC times such as `10:30`; `to` is null for an open session. */
export function session(user_id: string | null, from: string, to: string | null, more: Thing = {}): Thing {
  const at = (time: string) => `2026-01-01T${time}:00.000Z`
  const id = `${user_id}-${from}`
  return {
    id,
    member_id: `m-${user_id}`,
    user_id,
    connected_at: at(from),
    disconnected_at: to === null ? null : at(to),
    ...more,
  }
}

export function member(user_id: string | null, more: Thing = {}): Thing {
  return {
    id: `m-${user_id}`,
    user_id,
    type: 'guest',
    name: user_id?.toUpperCase() ?? null,
    created_at: '2025-01-01T00:00:00.000Z',
    ...more,
  }
}
