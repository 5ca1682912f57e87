/**
 * Where each of the 17 operations lives: the table of section 4 without the schemas, which cost more to load than a
 * whole request takes. `operations.ts` adds them.
 */
export interface Endpoint {
  /** Resource and verb, as in `meetroom rooms list`. */
  readonly id: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the base URL; `{name}` stands for a path parameter. */
  readonly path: string
  /** The field of the answer that holds the result: an array for lists, an object otherwise. */
  readonly result: string
  /** Whether the operation pages with `limit` and `offset` (rule 6). */
  readonly paged?: true
  /** A POST that may be sent again, since doing it twice is the same as doing it once. */
  readonly repeatable?: true
  /** How to find out whether a write took effect: a command, `{name}` standing for a parameter or body field. */
  readonly check?: string
}

export const endpoints = {
  listRooms: {
    id: 'rooms.list',
    summary: 'List rooms',
    method: 'GET',
    path: '/rooms',
    result: 'rooms',
    paged: true,
  },
  createRoom: {
    id: 'rooms.create',
    summary: 'Create a room',
    method: 'POST',
    path: '/rooms',
    result: 'room',
    check: 'meetroom rooms list --name {name}',
  },
  getRoom: {
    id: 'rooms.get',
    summary: 'Show a room',
    method: 'GET',
    path: '/rooms/{id}',
    result: 'room',
  },
  updateRoom: {
    id: 'rooms.update',
    summary: 'Change the settings of a room',
    method: 'PUT',
    path: '/rooms/{id}',
    result: 'room',
    check: 'meetroom rooms get {id}',
  },
  deleteRoom: {
    id: 'rooms.delete',
    summary: 'Delete a room',
    method: 'DELETE',
    path: '/rooms/{id}',
    result: 'room',
    check: 'meetroom rooms get {id}',
  },
  listSessions: {
    id: 'sessions.list',
    summary: 'List the sessions of a room',
    method: 'GET',
    path: '/rooms/{room_id}/sessions',
    result: 'sessions',
  },
  createPages: {
    id: 'pages.create',
    summary: 'Create pages in a room',
    method: 'POST',
    path: '/rooms/{room_id}/pages/create_many',
    result: 'pages',
  },
  listMembers: {
    id: 'members.list',
    summary: 'List the members of a room',
    method: 'GET',
    path: '/rooms/{room_id}/members',
    result: 'members',
    paged: true,
  },
  addMember: {
    id: 'members.add',
    summary: 'Invite a user to a room',
    method: 'POST',
    path: '/rooms/{room_id}/members',
    result: 'member',
    check: 'meetroom members list {room_id}',
  },
  getMember: {
    id: 'members.get',
    summary: 'Show a member of a room',
    method: 'GET',
    path: '/rooms/{room_id}/members/{member_id}',
    result: 'member',
  },
  updateMember: {
    id: 'members.update',
    summary: 'Change a member’s name, role or block',
    method: 'PUT',
    path: '/rooms/{room_id}/members/{member_id}',
    result: 'member',
    check: 'meetroom members get {room_id} {member_id}',
  },
  sendMessage: {
    id: 'message.send',
    summary: 'Send a message to the live sessions of a room',
    method: 'POST',
    path: '/rooms/{room_id}/message',
    result: 'message',
  },
  listUsers: {
    id: 'users.list',
    summary: 'List the users of the workspace',
    method: 'GET',
    path: '/users',
    result: 'users',
    paged: true,
  },
  createUser: {
    id: 'users.create',
    summary: 'Create a user',
    method: 'POST',
    path: '/users',
    result: 'user',
    // Rule 3: a user id already in use is overridden, so the second of two equal requests changes nothing.
    repeatable: true,
    check: 'meetroom users get {user_id}',
  },
  getUser: {
    id: 'users.get',
    summary: 'Show a user',
    method: 'GET',
    path: '/users/{user_id}',
    result: 'user',
  },
  updateUser: {
    id: 'users.update',
    summary: 'Change a user',
    method: 'PUT',
    path: '/users/{user_id}',
    result: 'user',
    check: 'meetroom users get {user_id}',
  },
  deleteUser: {
    id: 'users.delete',
    summary: 'Delete a user',
    method: 'DELETE',
    path: '/users/{user_id}',
    result: 'user',
    check: 'meetroom users get {user_id}',
  },
} as const satisfies Record<string, Endpoint>

export type OperationName = keyof typeof endpoints
