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

function itemEndpoint<R extends ResourceName>(resource: R) {
  return { resource, many: false, result: resources[resource].name as Resources[R]['name'] } as const
}

function listEndpoint<R extends ResourceName>(resource: R) {
  return { resource, many: true, result: resources[resource].plural as Resources[R]['plural'] } as const
}

export const endpoints = {
  listRooms: {
    id: 'rooms.list',
    summary: 'List rooms',
    method: 'GET',
    path: '/rooms',
    ...listEndpoint('room'),
    paged: true,
    paging: true,
  },
  createRoom: {
    id: 'rooms.create',
    summary: 'Create a room',
    method: 'POST',
    path: '/rooms',
    ...itemEndpoint('room'),
    paging: true,
    readBack: 'getRoom',
    check: ['rooms', 'list', '--name', '{name}'],
  },
  getRoom: {
    id: 'rooms.get',
    summary: 'Show a room',
    method: 'GET',
    path: '/rooms/{id}',
    ...itemEndpoint('room'),
  },
  updateRoom: {
    id: 'rooms.update',
    summary: 'Change the settings of a room',
    method: 'PUT',
    path: '/rooms/{id}',
    ...itemEndpoint('room'),
    readBack: 'getRoom',
    check: ['rooms', 'get', '{id}'],
  },
  deleteRoom: {
    id: 'rooms.delete',
    summary: 'Delete a room',
    method: 'DELETE',
    path: '/rooms/{id}',
    ...itemEndpoint('room'),
    readBack: 'getRoom',
    check: ['rooms', 'get', '{id}'],
  },
  listSessions: {
    id: 'sessions.list',
    summary: 'List the sessions of a room',
    method: 'GET',
    path: '/rooms/{room_id}/sessions',
    ...listEndpoint('session'),
    paged: 'when asked',
    paging: true,
  },
  createPages: {
    id: 'pages.create',
    summary: 'Create pages in a room',
    method: 'POST',
    path: '/rooms/{room_id}/pages/create_many',
    ...listEndpoint('page'),
  },
  listPages: {
    id: 'pages.list',
    summary: 'List the pages of a room',
    method: 'GET',
    path: '/rooms/{room_id}/pages',
    ...listEndpoint('page'),
    paged: 'when asked',
    paging: true,
    unlisted: true,
  },
  listMembers: {
    id: 'members.list',
    summary: 'List the members of a room',
    method: 'GET',
    path: '/rooms/{room_id}/members',
    ...listEndpoint('member'),
    paged: true,
    paging: true,
  },
  addMember: {
    id: 'members.add',
    summary: 'Invite a user to a room',
    method: 'POST',
    path: '/rooms/{room_id}/members',
    ...itemEndpoint('member'),
    readBack: 'listMembers',
    check: ['members', 'list', '{room_id}'],
  },
  getMember: {
    id: 'members.get',
    summary: 'Show a member of a room',
    method: 'GET',
    path: '/rooms/{room_id}/members/{member_id}',
    ...itemEndpoint('member'),
  },
  updateMember: {
    id: 'members.update',
    summary: 'Change a member’s name, role or block',
    method: 'PUT',
    path: '/rooms/{room_id}/members/{member_id}',
    ...itemEndpoint('member'),
    readBack: 'getMember',
    check: ['members', 'get', '{room_id}', '{member_id}'],
  },
  sendMessage: {
    id: 'message.send',
    summary: 'Send a message to the online sessions of a room',
    method: 'POST',
    path: '/rooms/{room_id}/message',
    ...itemEndpoint('message'),
    bare: true,
  },
  listUsers: {
    id: 'users.list',
    summary: 'List the users of the workspace',
    method: 'GET',
    path: '/users',
    ...listEndpoint('user'),
    paged: true,
    paging: true,
  },
  createUser: {
    id: 'users.create',
    summary: 'Create a user',
    method: 'POST',
    path: '/users',
    ...itemEndpoint('user'),
    // Creating an existing user overwrites the user (API specification, “Endpoints”, rule 3).
    repeatable: true,
    readBack: 'getUser',
    check: ['users', 'get', '{user_id}'],
  },
  getUser: {
    id: 'users.get',
    summary: 'Show a user',
    method: 'GET',
    path: '/users/{user_id}',
    ...itemEndpoint('user'),
  },
  updateUser: {
    id: 'users.update',
    summary: 'Change a user',
    method: 'PUT',
    path: '/users/{user_id}',
    ...itemEndpoint('user'),
    readBack: 'getUser',
    check: ['users', 'get', '{user_id}'],
  },
  deleteUser: {
    id: 'users.delete',
    summary: 'Delete a user',
    method: 'DELETE',
    path: '/users/{user_id}',
    ...itemEndpoint('user'),
    readBack: 'getUser',
    check: ['users', 'get', '{user_id}'],
  },
  listDeliveries: {
    id: 'webhooks.deliveries',
    summary: 'List the deliveries of webhooks',
    method: 'GET',
    path: '/webhooks/deliveries',
    ...listEndpoint('delivery'),
    paged: true,
    paging: true,
    unlisted: true,
  },
  redeliver: {
    id: 'webhooks.redeliver',
    summary: 'Deliver a webhook event again',
    method: 'POST',
    path: '/webhooks/deliveries/{delivery_id}/redeliver',
    ...itemEndpoint('delivery'),
    check: ['webhooks', 'deliveries'],
    unlisted: true,
  },
} as const satisfies Record<string, Endpoint>

export type OperationName = keyof typeof endpoints
