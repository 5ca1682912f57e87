import { type ResourceName, type Resources, resources } from './resources.ts'

export interface Route {
  /** Command with a dot instead of the space, such as `rooms.list`. */
  readonly id: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** True for an idempotent POST, which can be retried. */
  readonly repeatable?: true
  /** Command that shows whether a write took effect. Placeholders name path parameters or body fields. */
  readonly check?: readonly string[]
}

/** Operation without its schemas, because loading the schemas takes longer than a request. */
export interface Endpoint extends Route {
  readonly resource: ResourceName
  /** True if the result is a list; for POST, also the body. */
  readonly many: boolean
  readonly result: string
  readonly bare?: true
  /** Paging (API specification, “Paging”). `when asked`: only if the request has `limit` or `offset`. */
  readonly paged?: true | 'when asked'
  readonly paging?: true
  /** True for an operation that some services offer but the API specification does not list. */
  readonly unlisted?: true
  /** Read operation that shows whether a write took effect. */
  readonly readBack?: 'getRoom' | 'getUser' | 'getMember' | 'listMembers'
}

function route<M extends Route['method'], P extends string>(id: string, summary: string, method: M, path: P) {
  return { id, summary, method, path } as const
}

function itemEndpoint<R extends ResourceName>(resource: R) {
  return { resource, many: false, result: resources[resource].name as Resources[R]['name'] } as const
}

function listEndpoint<R extends ResourceName>(resource: R) {
  return { resource, many: true, result: resources[resource].plural as Resources[R]['plural'] } as const
}

function pagedEndpoint<R extends ResourceName>(resource: R) {
  return { ...listEndpoint(resource), paged: true, paging: true } as const
}

const roomProof = { readBack: 'getRoom', check: ['rooms', 'get', '{id}'] } as const
const userProof = { readBack: 'getUser', check: ['users', 'get', '{user_id}'] } as const

export const endpoints = {
  listRooms: { ...route('rooms.list', 'List rooms', 'GET', '/rooms'), ...pagedEndpoint('room') },
  createRoom: {
    ...route('rooms.create', 'Create a room', 'POST', '/rooms'),
    ...itemEndpoint('room'),
    paging: true,
    readBack: 'getRoom',
    check: ['rooms', 'list', '--name', '{name}'],
  },
  getRoom: { ...route('rooms.get', 'Show a room', 'GET', '/rooms/{id}'), ...itemEndpoint('room') },
  updateRoom: {
    ...route('rooms.update', 'Change the settings of a room', 'PUT', '/rooms/{id}'),
    ...itemEndpoint('room'),
    ...roomProof,
  },
  deleteRoom: {
    ...route('rooms.delete', 'Delete a room', 'DELETE', '/rooms/{id}'),
    ...itemEndpoint('room'),
    ...roomProof,
  },
  listSessions: {
    ...route('sessions.list', 'List the sessions of a room', 'GET', '/rooms/{room_id}/sessions'),
    ...listEndpoint('session'),
    paged: 'when asked',
    paging: true,
  },
  createPages: {
    ...route('pages.create', 'Create pages in a room', 'POST', '/rooms/{room_id}/pages/create_many'),
    ...listEndpoint('page'),
    check: ['pages', 'list', '{room_id}'],
  },
  listPages: {
    ...route('pages.list', 'List the pages of a room', 'GET', '/rooms/{room_id}/pages'),
    ...listEndpoint('page'),
    paged: 'when asked',
    paging: true,
    unlisted: true,
  },
  listMembers: {
    ...route('members.list', 'List the members of a room', 'GET', '/rooms/{room_id}/members'),
    ...pagedEndpoint('member'),
  },
  addMember: {
    ...route('members.add', 'Invite a user to a room', 'POST', '/rooms/{room_id}/members'),
    ...itemEndpoint('member'),
    readBack: 'listMembers',
    check: ['members', 'list', '{room_id}'],
  },
  getMember: {
    ...route('members.get', 'Show a member of a room', 'GET', '/rooms/{room_id}/members/{member_id}'),
    ...itemEndpoint('member'),
  },
  updateMember: {
    ...route(
      'members.update',
      'Change a member’s name, role or block',
      'PUT',
      '/rooms/{room_id}/members/{member_id}',
    ),
    ...itemEndpoint('member'),
    readBack: 'getMember',
    check: ['members', 'get', '{room_id}', '{member_id}'],
  },
  sendMessage: {
    ...route(
      'message.send',
      'Send a message to the online sessions of a room',
      'POST',
      '/rooms/{room_id}/message',
    ),
    ...itemEndpoint('message'),
    bare: true,
  },
  listUsers: {
    ...route('users.list', 'List the users of the workspace', 'GET', '/users'),
    ...pagedEndpoint('user'),
  },
  createUser: {
    ...route('users.create', 'Create a user', 'POST', '/users'),
    ...itemEndpoint('user'),
    // Creating an existing user overwrites the user (API specification, “Endpoints”, rule 3).
    repeatable: true,
    ...userProof,
  },
  getUser: { ...route('users.get', 'Show a user', 'GET', '/users/{user_id}'), ...itemEndpoint('user') },
  updateUser: {
    ...route('users.update', 'Change a user', 'PUT', '/users/{user_id}'),
    ...itemEndpoint('user'),
    ...userProof,
  },
  deleteUser: {
    ...route('users.delete', 'Delete a user', 'DELETE', '/users/{user_id}'),
    ...itemEndpoint('user'),
    ...userProof,
  },
  listDeliveries: {
    ...route('webhooks.deliveries', 'List the deliveries of webhooks', 'GET', '/webhooks/deliveries'),
    ...pagedEndpoint('delivery'),
    unlisted: true,
  },
  redeliver: {
    ...route(
      'webhooks.redeliver',
      'Deliver a webhook event again',
      'POST',
      '/webhooks/deliveries/{delivery_id}/redeliver',
    ),
    ...itemEndpoint('delivery'),
    check: ['webhooks', 'deliveries'],
    unlisted: true,
  },
} as const satisfies Record<string, Endpoint>

export type OperationName = keyof typeof endpoints
