import type { WireRequest } from '../../../src/api/wire.ts'
import { isWrite, jsonOf, pathOf, type Thing } from './fake.ts'
import type { Kind } from './proof.ts'
import type { School, Sent, State } from './school.ts'

/** Item that a command writes or keeps unchanged. */
export interface Target {
  readonly kind: Kind | 'keep'
  readonly isMember?: boolean
  /** Words by which errors name the item. */
  readonly names: readonly string[]
  /** Fields that the command requests. */
  readonly asked: Thing
  /** Returns the items of a state that match this target. */
  find(state: State): readonly Thing[]
  /** Returns true if a request writes this item. */
  isFor(request: WireRequest): boolean
  /** Returns true if a result is about this item. */
  isIn(row: Thing): boolean
  /** Field that the service must show before the item is written. */
  readonly waitsFor?: string
}

/** Returns functions that create the targets of a scenario. */
export function targetsOf(school: School) {
  const body = (request: WireRequest) => (request.body ? jsonOf(request) : {})
  const isAt = (request: WireRequest, method: string, path: string) =>
    request.method === method && pathOf(request) === path
  const executions = (isFor: (request: WireRequest) => boolean) =>
    school.sent.filter(({ request }) => isFor(request)).flatMap(({ executed }) => executed)
  const roomOf = ({ rooms }: State, id: string, { members }: State) =>
    rooms
      .filter((room) => room['id'] === id)
      .map((room) => ({
        ...room,
        is_terminated: room['terminated_at'] !== null,
        members: members
          .filter(({ room_id }) => room_id === id)
          .map(userAndType)
          .sort(),
      }))
  const memberIn = ({ members }: State, roomId: string, user: string) =>
    members.filter(({ room_id, user_id }) => room_id === roomId && user_id === user)
  const userIn = ({ users }: State, id: string) =>
    users.filter(({ user_id }) => String(user_id).toLowerCase() === id.toLowerCase())

  /** Creates a target for a room that does not exist yet, identified by its requested name. */
  const newRoom = (asked: Thing, key = ''): Target => {
    const isFor = (request: WireRequest) =>
      isAt(request, 'POST', '/rooms') && body(request)['name'] === asked['name']
    return {
      kind: 'room',
      names: [],
      asked,
      find: (state) => executions(isFor).flatMap((done) => roomOf(state, done.body.room.id, state)),
      isFor,
      isIn: (row) => row['key'] === key && row['kind'] === 'room',
    }
  }
  const change = (
    kind: 'change' | 'delete' | 'keep',
    path: string,
    names: readonly string[],
    asked: Thing,
  ) => {
    const method = kind === 'delete' ? 'DELETE' : 'PUT'
    return { kind, names, asked, isFor: (request: WireRequest) => isAt(request, method, path) }
  }
  const room = (kind: 'change' | 'delete' | 'keep', name: string, asked: Thing = {}): Target => {
    const id = school.room(name)
    return {
      ...change(kind, `/rooms/${id}`, [id], asked),
      find: (state) => roomOf(state, school.realRoom(name), state),
      isIn: (row) => String(row['id']) === id || String(row['room_id']) === id,
    }
  }
  const member = (kind: 'change' | 'keep', place: string, user: string, asked: Thing = {}): Target => {
    const id = school.member(place, user)
    const common = change(kind, `/rooms/${school.room(place)}/members/${id}`, [id], asked)
    return {
      ...common,
      isMember: true,
      find(state) {
        const found = memberIn(state, school.realRoom(place), user)
        // The embedded service removes the members of a deleted user.
        return found.length > 0
          ? found
          : executions(common.isFor)
              .slice(-1)
              .map(({ body }) => body.member)
      },
      isIn: (row) => row['user_id'] === user && String(row['room_id']) === school.room(place),
    }
  }
  const user = (kind: 'change' | 'delete' | 'keep', id: string, asked: Thing = {}): Target => ({
    ...change(kind, `/users/${id}`, [id], asked),
    find: (state) => userIn(state, id),
    isIn: (row) => row['user_id'] === id && row['step'] === 'delete',
  })
  const newUser = (asked: Thing): Target => ({
    kind: 'user',
    names: [asked['user_id']],
    asked,
    find: (state) => userIn(state, asked['user_id']),
    isFor: (request) => isAt(request, 'POST', '/users') && body(request)['user_id'] === asked['user_id'],
    isIn: (row) => row['key'] === asked['user_id'] && row['kind'] === 'user',
  })
  const newMember = (place: string, asked: Thing): Target => ({
    kind: 'member',
    names: [asked['user_id']],
    asked,
    find: (state) => memberIn(state, school.realRoom(place), asked['user_id']),
    isFor: (request) =>
      isAt(request, 'POST', `/rooms/${school.room(place)}/members`) &&
      body(request)['user_id'] === asked['user_id'],
    isIn: (row) => row['user_id'] === asked['user_id'] && String(row['room_id']) === school.room(place),
  })
  /** Creates a target for a member of a room that does not exist yet. */
  const newMemberOf = (place: Target, asked: Thing, key: string): Target => ({
    ...newMember('', asked),
    find: (state) =>
      place.find(state).flatMap(({ id }) => memberIn(state, String(id), String(asked['user_id']))),
    isFor: (request) =>
      /^POST \/rooms\/[^/]+\/members$/.test(`${request.method} ${pathOf(request)}`) &&
      body(request)['user_id'] === asked['user_id'],
    isIn: (row) => row['kind'] === 'member' && row['key'] === key,
  })
  const post = (kind: 'message' | 'pages' | 'redelivery', path: string, id: string, asked: Thing): Target => {
    const isFor = (request: WireRequest) => isAt(request, 'POST', path)
    return {
      kind,
      names: [id],
      asked,
      find: () => executions(isFor).map((done) => (kind === 'pages' ? { pages: done.asked.length } : asked)),
      isFor,
      isIn: (row) => String(row['id']) === id || String(row['room_id']) === id,
    }
  }
  return {
    newRoom,
    room,
    member,
    user,
    newUser,
    newMember,
    newMemberOf,
    message: (place: string) =>
      post('message', `/rooms/${school.room(place)}/message`, school.room(place), {}),
    pages: (place: string, pages: number) =>
      post('pages', `/rooms/${school.room(place)}/pages/create_many`, school.room(place), { pages }),
    redelivery: (id: string) => post('redelivery', `/webhooks/deliveries/${id}/redeliver`, id, {}),
  }
}

const userAndType = ({ user_id, type }: Thing) => `${user_id}:${type}`

/**
 * Counts the creations of an item; 1 for other writes. A request for a room, a message or pages counts once,
 * even if the service executes it twice.
 */
export function timesMade(target: Target, sent: readonly Sent[], after: readonly Thing[]): number {
  if (target.kind === 'user' || target.kind === 'member') return after.length
  if (target.kind !== 'room' && target.kind !== 'message' && target.kind !== 'pages') return 1
  return sent.filter(
    ({ request, executed }) => isWrite(request) && target.isFor(request) && executed.length > 0,
  ).length
}
