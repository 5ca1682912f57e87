import { defineResource, field, type Resource } from './resource-types.ts'
import {
  defaultLimit,
  deliveryStates,
  endReasons,
  maxLimit,
  memberTypes,
  roomTypes,
  webhookActions,
} from './vocabulary.ts'

// This module must not load zod, because loading zod takes longer than a request.

const gone = field('text', 'no longer used', { presence: 'deprecated' })

/**
 * Member (API specification, “Member” and “Endpoints”). An anonymous participant is a member without a user.
 */
export const member = defineResource(
  { name: 'member', plural: 'members', id: 'id', label: 'user_id' },
  {
    id: field('id', 'member ID', { presence: 'always', column: [1, 9] }),
    user_id: field('id', 'user of the member', { write: 'create', required: true, column: [2, 8] }),
    room_id: field('id', 'the room'),
    type: field(memberTypes, 'role in the room; a host is an administrator, a monitor only watches', {
      write: 'create update',
      column: [3, 7],
    }),
    name: field('text', 'display name in the room', {
      write: 'update',
      presence: 'unlisted',
      column: [5, 7.5],
    }),
    is_blocked: field(
      'boolean',
      'block the member: end the sessions and prevent new ones; private rooms only',
      { write: 'update', destructive: true, presence: 'unlisted' },
    ),
    access_token: field(
      'text',
      'token that lets the user join this room; null for an anonymous participant',
      { secret: true, presence: 'unlisted' },
    ),
    created_at: field('time', 'creation time of the member (UTC)', { presence: 'unlisted' }),
    updated_at: field('time', 'time of the last change of the member (UTC)', { presence: 'unlisted' }),
  },
)

const { user_id, type: member_type, name: member_name } = member.fields

/** Room (API specification, “Room” and “Create Room request body”). */
export const room = defineResource(
  { name: 'room', plural: 'rooms', id: 'id', label: 'name' },
  {
    id: field('id', 'room ID', { presence: 'always', column: [1, 9] }),
    type: field(
      roomTypes,
      'access to the room: open (anyone with the URL), public (each user of the workspace), private (invited members)',
      { write: 'create', required: true, presence: 'always', column: [3, 7] },
    ),
    name: field('name', 'name of the room', {
      write: 'create update',
      required: true,
      query: 'exact name',
      column: [2, 8],
    }),
    application_id: field('id', 'ID of the workspace'),
    thumbnail_url: field('url', 'URL of the thumbnail'),
    layout: field('name', 'layout name', { write: 'create update', query: true, column: [6, 1] }),
    record: field('boolean', 'record all meetings in the room', { write: 'create', column: [5, 2] }),
    meeting_time: field('number', 'meeting time of the room'),
    started_at: field('time', 'start time of the room (UTC)'),
    terminated_at: field('time', 'termination time of the room (UTC)'),
    updated_at: field('time', 'time of the last change of the room (UTC)'),
    created_at: field('time', 'creation time of the room (UTC)', { column: [7, 4] }),
    created_user_id: gone,
    last_thumbnail_updated_at: gone,
    room_template_id: gone,
    is_terminated: field('boolean', 'true if the room is terminated', {
      write: 'update',
      destructive: true,
      query: true,
      presence: 'deprecated',
    }),
    is_ephemeral: gone,
    is_recurring: gone,
    max_meeting_seconds: field(
      'seconds',
      'maximum meeting time in seconds; the service terminates the room after this time; the clock runs while two or more guests or hosts are connected',
      { write: 'create', presence: 'unlisted' },
    ),
    // The limit of a reopened room starts over, so meeting_time does not show the remaining time.
    remaining_seconds: field(
      'number',
      'meeting time in seconds until the room is terminated; null without max_meeting_seconds',
      { presence: 'unlisted' },
    ),
    members: field(
      { list: { user_id, type: member_type, name: { ...member_name, write: 'create' } } },
      'user to add as a member',
      { write: 'create', presence: 'never' },
    ),
    // The API specification (“Webhook”) does not show the names of webhook parameters.
    webhook: field(
      {
        object: {
          url: field('url', 'URL that receives an event when a participant joins or leaves', {
            write: 'create',
            required: true,
          }),
          headers: field('headers', 'headers to send with each delivery', { write: 'create' }),
          secret: field('text', 'secret that signs the deliveries', { write: 'create' }),
        },
      },
      'webhook: sends an event to a URL when a participant joins or leaves',
      { write: 'create', presence: 'never' },
    ),
  },
)

/** User (API specification, “User”). */
export const user = defineResource(
  { name: 'user', plural: 'users', id: 'user_id', label: 'name' },
  {
    user_id: field('id', 'user ID, chosen by you', {
      write: 'create',
      required: true,
      presence: 'always',
      column: [1, 9],
    }),
    name: field('text', 'name of the user', { write: 'create update', column: [2, 8] }),
    profile_url: field('url', 'URL of the profile image', { write: 'create update', column: [4, 1] }),
    default_member_type: field(memberTypes, 'default role in rooms', {
      write: 'create update',
      column: [3, 5],
    }),
    access_token: field('text', 'token of the user', { secret: true }),
    created_at: field('time', 'creation time of the user (UTC)', { column: [5, 3] }),
    updated_at: field('time', 'time of the last change of the user (UTC)'),
    id: field('id', 'internal ID'),
    // The API specification defines a search by email but no email field.
    email: field('text', 'email address', { write: 'create update', presence: 'unlisted', column: [2.5, 6] }),
    email_search_query: field('text', 'only users with this text in the email address', {
      query: true,
      presence: 'never',
    }),
  },
)

/** Session (API specification, “Session”). */
const session = defineResource(
  { name: 'session', plural: 'sessions', id: 'id' },
  {
    id: field('id', 'session ID', { presence: 'always', column: [1, 9] }),
    member_id: field('id', 'member of the session', { column: [3, 5] }),
    user_id: field('id', 'user of the session', { query: true, column: [2, 8] }),
    connected_at: field('time', 'start time of the connection (UTC)', { column: [5, 4] }),
    disconnected_at: field('time', 'end time of the connection (UTC)', { column: [6, 3] }),
    end_reason: field(
      endReasons,
      'reason for the end: left, lost (connection), kicked (a user who was blocked or deleted) or ended (room or service)',
      { presence: 'unlisted' },
    ),
    elapsed_time: field('number', 'duration of the session in seconds, so far if it is online', {
      presence: 'unlisted',
      onRequest: true,
    }),
    ip_address: field('text', 'IP address of the client', { presence: 'unlisted', onRequest: true }),
    user_agent: field('text', 'browser or program of the client', { presence: 'unlisted', onRequest: true }),
    is_connecting: field('boolean', 'true if the session is online', { query: true, presence: 'never' }),
  },
)

/** Entity of a page (API specification, “Page”). `Image` is the only specified type. */
export const entity = {
  type: field('name', 'kind of entity', { write: 'create', required: true }),
  src: field('url', 'URL of the image', { write: 'create' }),
  fixed: field('boolean', 'pin the image in place', { write: 'create', presence: 'unlisted' }),
} as const

export const page = defineResource(
  { name: 'page', plural: 'pages', id: 'id' },
  {
    id: field('id', 'page ID', { presence: 'always', column: [1, 9] }),
    entities: field({ list: entity }, 'content of the page', { write: 'create' }),
    size: field(
      {
        object: {
          width: field('number', 'width of the page', { write: 'create', required: true }),
          height: field('number', 'height of the page', { write: 'create', required: true }),
        },
      },
      'size of the page',
      { write: 'create', presence: 'unlisted' },
    ),
    index: field('integer', 'position of the page', { write: 'create', presence: 'unlisted' }),
  },
)

export const message = defineResource(
  { name: 'message', plural: 'messages' },
  {
    message: field('text', 'text for the online sessions of the room', {
      write: 'create',
      required: true,
      presence: 'always',
      column: [1, 9],
    }),
  },
)

/** Delivery of a webhook event. The API specification does not define this resource. */
export const delivery = defineResource(
  { name: 'delivery', plural: 'deliveries', id: 'id', label: 'action' },
  {
    id: field('id', 'delivery ID: the header webhook-id of every attempt', {
      presence: 'always',
      column: [1, 9],
    }),
    room_id: field('id', 'the room of the event', { query: 'only deliveries for this room', column: [2, 3] }),
    action: field(webhookActions, 'type of the event', { column: [3, 6] }),
    user_id: field('id', 'the user of the event; null for an anonymous participant'),
    state: field(deliveryStates, 'status: waiting (for an attempt), delivered or given_up', {
      query: 'only deliveries with this status',
      presence: 'always',
      column: [4, 8],
    }),
    attempts: field('integer', 'number of attempts, redeliveries included', { column: [5, 5] }),
    last_status: field('integer', 'status of the last response; null without a response'),
    last_error: field('text', 'reason for a missing response or for giving up'),
    last_body: field(
      'text',
      'beginning of the last response, at most 200 characters, without the secrets of the webhook',
    ),
    last_attempt_at: field('time', 'end time of the last attempt (UTC)'),
    next_attempt_at: field(
      'time',
      'time of the next attempt (UTC); null if it is due now or if there is none',
      { column: [7, 4] },
    ),
    redeliveries: field('integer', 'how often a redelivery was requested'),
    url: field('text', 'URL of the receiver, without user name, password and query'),
    created_at: field('time', 'time of the event (UTC)', { column: [8, 2] }),
    finished_at: field('time', 'time of delivery or giving up (UTC)'),
    since: field('time', 'only events since this time', { query: true, presence: 'never' }),
  },
)

export const paging = {
  offset: field('integer', 'number of items to skip', { query: true, range: [0] }),
  limit: field('integer', 'maximum number of items', {
    query: `maximum number of items (default ${defaultLimit})`,
    range: [1, maxLimit],
  }),
  total: field('integer', 'total number of items'),
} as const

export const resources = { room, member, user, session, page, message, delivery }

export const secretFields: ReadonlySet<string> = new Set(
  Object.values<Resource>(resources).flatMap(({ fields }) =>
    Object.keys(fields).filter((name) => fields[name]?.secret),
  ),
)

export type Resources = typeof resources
export type ResourceName = keyof Resources
