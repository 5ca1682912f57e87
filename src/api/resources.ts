import { defineResource, type Resource } from './resource-types.ts'
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

const gone = { type: 'text', description: 'no longer used', presence: 'deprecated' } as const

/**
 * Member (API specification, “Member” and “Endpoints”). An anonymous participant is a member without a user.
 */
export const member = defineResource({
  name: 'member',
  plural: 'members',
  id: 'id',
  label: 'user_id',
  fields: {
    id: { type: 'id', description: 'member ID', presence: 'always', column: [1, 9] },
    user_id: {
      type: 'id',
      description: 'user of the member',
      write: 'create',
      required: true,
      column: [2, 8],
    },
    room_id: { type: 'id', description: 'the room' },
    type: {
      type: memberTypes,
      description: 'role in the room; a host is an administrator, a monitor only watches',
      write: 'create update',
      column: [3, 7],
    },
    name: {
      type: 'text',
      description: 'display name in the meeting room',
      write: 'update',
      presence: 'unlisted',
      column: [5, 7.5],
    },
    is_blocked: {
      type: 'boolean',
      description: 'block the member: end the sessions and prevent new ones; private rooms only',
      write: 'update',
      destructive: true,
      presence: 'unlisted',
    },
    access_token: {
      type: 'text',
      description: 'token that lets the user join this room; null for an anonymous participant',
      secret: true,
      presence: 'unlisted',
    },
    created_at: { type: 'time', description: 'creation time of the member (UTC)', presence: 'unlisted' },
    updated_at: {
      type: 'time',
      description: 'time of the last change of the member (UTC)',
      presence: 'unlisted',
    },
  },
})

const { user_id, type: member_type, name: member_name } = member.fields

/** Room (API specification, “Room” and “Create Room request body”). */
export const room = defineResource({
  name: 'room',
  plural: 'rooms',
  id: 'id',
  label: 'name',
  fields: {
    id: { type: 'id', description: 'room ID', presence: 'always', column: [1, 9] },
    type: {
      type: roomTypes,
      description:
        'access to the room: open (anyone with the URL), public (each user of the workspace), private (invited members)',
      write: 'create',
      required: true,
      presence: 'always',
      column: [3, 7],
    },
    name: {
      type: 'name',
      description: 'name of the room',
      write: 'create update',
      required: true,
      query: 'exact name',
      column: [2, 8],
    },
    application_id: { type: 'id', description: 'ID of the workspace' },
    thumbnail_url: { type: 'url', description: 'URL of the thumbnail' },
    layout: { type: 'name', description: 'layout name', write: 'create update', query: true, column: [6, 1] },
    record: {
      type: 'boolean',
      description: 'record all meetings in the room',
      write: 'create',
      column: [5, 2],
    },
    meeting_time: { type: 'number', description: 'meeting time of the room' },
    started_at: { type: 'time', description: 'start time of the room (UTC)' },
    terminated_at: { type: 'time', description: 'termination time of the room (UTC)' },
    updated_at: { type: 'time', description: 'time of the last change of the room (UTC)' },
    created_at: { type: 'time', description: 'creation time of the room (UTC)', column: [7, 4] },
    created_user_id: gone,
    last_thumbnail_updated_at: gone,
    room_template_id: gone,
    is_terminated: {
      type: 'boolean',
      description: 'true if the room is terminated',
      write: 'update',
      destructive: true,
      query: true,
      presence: 'deprecated',
    },
    is_ephemeral: gone,
    is_recurring: gone,
    max_meeting_seconds: {
      type: 'seconds',
      description:
        'maximum meeting time in seconds; the service terminates the room after this time; the clock runs while two or more guests or hosts are connected',
      write: 'create',
      presence: 'unlisted',
    },
    // The limit of a reopened room starts over, so meeting_time does not show the remaining time.
    remaining_seconds: {
      type: 'number',
      description: 'meeting time in seconds until the room is terminated; null without max_meeting_seconds',
      presence: 'unlisted',
    },
    members: {
      type: { list: { user_id, type: member_type, name: { ...member_name, write: 'create' } } },
      description: 'user to add as a member',
      write: 'create',
      presence: 'never',
    },
    // The API specification (“Webhook”) does not show the names of webhook parameters.
    webhook: {
      type: {
        object: {
          url: {
            type: 'url',
            description: 'URL that receives an event when a participant joins or leaves',
            write: 'create',
            required: true,
          },
          headers: { type: 'headers', description: 'headers to send with each delivery', write: 'create' },
          secret: { type: 'text', description: 'secret that signs the deliveries', write: 'create' },
        },
      },
      description: 'webhook: sends an event to a URL when a participant joins or leaves',
      write: 'create',
      presence: 'never',
    },
  },
})

/** User (API specification, “User”). */
export const user = defineResource({
  name: 'user',
  plural: 'users',
  id: 'user_id',
  label: 'name',
  fields: {
    user_id: {
      type: 'id',
      description: 'user ID, chosen by you',
      write: 'create',
      required: true,
      presence: 'always',
      column: [1, 9],
    },
    name: { type: 'text', description: 'name of the user', write: 'create update', column: [2, 8] },
    profile_url: {
      type: 'url',
      description: 'URL of the profile image',
      write: 'create update',
      column: [4, 1],
    },
    default_member_type: {
      type: memberTypes,
      description: 'default role in rooms',
      write: 'create update',
      column: [3, 5],
    },
    access_token: { type: 'text', description: 'token of the user', secret: true },
    created_at: { type: 'time', description: 'creation time of the user (UTC)', column: [5, 3] },
    updated_at: { type: 'time', description: 'time of the last change of the user (UTC)' },
    id: { type: 'id', description: 'internal ID' },
    // The API specification defines a search by email but no email field.
    email: {
      type: 'text',
      description: 'email address',
      write: 'create update',
      presence: 'unlisted',
      column: [2.5, 6],
    },
    email_search_query: {
      type: 'text',
      description: 'only users with this text in the email address',
      query: true,
      presence: 'never',
    },
  },
})

/** Session (API specification, “Session”). */
const session = defineResource({
  name: 'session',
  plural: 'sessions',
  id: 'id',
  fields: {
    id: { type: 'id', description: 'session ID', presence: 'always', column: [1, 9] },
    member_id: { type: 'id', description: 'member of the session', column: [3, 5] },
    user_id: { type: 'id', description: 'user of the session', query: true, column: [2, 8] },
    connected_at: { type: 'time', description: 'start time of the connection (UTC)', column: [5, 4] },
    disconnected_at: { type: 'time', description: 'end time of the connection (UTC)', column: [6, 3] },
    end_reason: {
      type: endReasons,
      description:
        'reason for the end: left, lost (connection), kicked (a user who was blocked or deleted) or ended (room or service)',
      presence: 'unlisted',
    },
    elapsed_time: {
      type: 'number',
      description: 'duration of the session in seconds, so far if it is online',
      presence: 'unlisted',
      onRequest: true,
    },
    ip_address: {
      type: 'text',
      description: 'IP address of the client',
      presence: 'unlisted',
      onRequest: true,
    },
    user_agent: {
      type: 'text',
      description: 'browser or program of the client',
      presence: 'unlisted',
      onRequest: true,
    },
    is_connecting: {
      type: 'boolean',
      description: 'true if the session is online',
      query: true,
      presence: 'never',
    },
  },
})

/** Entity of a page (API specification, “Page”). `Image` is the only specified type. */
export const entity = {
  type: { type: 'name', description: 'kind of entity', write: 'create', required: true },
  src: { type: 'url', description: 'URL of the image', write: 'create' },
  fixed: { type: 'boolean', description: 'pin the image in place', write: 'create', presence: 'unlisted' },
} as const

export const page = defineResource({
  name: 'page',
  plural: 'pages',
  id: 'id',
  fields: {
    id: { type: 'id', description: 'page ID', presence: 'always', column: [1, 9] },
    entities: { type: { list: entity }, description: 'content of the page', write: 'create' },
    size: {
      type: {
        object: {
          width: { type: 'number', description: 'width of the page', write: 'create', required: true },
          height: { type: 'number', description: 'height of the page', write: 'create', required: true },
        },
      },
      description: 'size of the page',
      write: 'create',
      presence: 'unlisted',
    },
    index: { type: 'integer', description: 'position of the page', write: 'create', presence: 'unlisted' },
  },
})

export const message = defineResource({
  name: 'message',
  plural: 'messages',
  fields: {
    message: {
      type: 'text',
      description: 'text for the online sessions of the room',
      write: 'create',
      required: true,
      presence: 'always',
      column: [1, 9],
    },
  },
})

/** Delivery of a webhook event. The API specification does not define this resource. */
export const delivery = defineResource({
  name: 'delivery',
  plural: 'deliveries',
  id: 'id',
  label: 'action',
  fields: {
    id: {
      type: 'id',
      description: 'delivery ID: the header webhook-id of every attempt',
      presence: 'always',
      column: [1, 9],
    },
    room_id: {
      type: 'id',
      description: 'the room of the event',
      query: 'only deliveries for this room',
      column: [2, 3],
    },
    action: { type: webhookActions, description: 'type of the event', column: [3, 6] },
    user_id: { type: 'id', description: 'the user of the event; null for an anonymous participant' },
    state: {
      type: deliveryStates,
      description: 'status: waiting (for an attempt), delivered or given_up',
      query: 'only deliveries with this status',
      presence: 'always',
      column: [4, 8],
    },
    attempts: { type: 'integer', description: 'number of attempts, redeliveries included', column: [5, 5] },
    last_status: { type: 'integer', description: 'status of the last response; null without a response' },
    last_error: { type: 'text', description: 'reason for a missing response or for giving up' },
    last_body: {
      type: 'text',
      description:
        'beginning of the last response, at most 200 characters, without the secrets of the webhook',
    },
    last_attempt_at: { type: 'time', description: 'end time of the last attempt (UTC)' },
    next_attempt_at: {
      type: 'time',
      description: 'time of the next attempt (UTC); null if it is due now or if there is none',
      column: [7, 4],
    },
    redeliveries: { type: 'integer', description: 'how often a redelivery was requested' },
    url: { type: 'text', description: 'URL of the receiver, without user name, password and query' },
    created_at: { type: 'time', description: 'time of the event (UTC)', column: [8, 2] },
    finished_at: { type: 'time', description: 'time of delivery or giving up (UTC)' },
    since: {
      type: 'time',
      description: 'only events since this time',
      query: true,
      presence: 'never',
    },
  },
})

export const paging = {
  offset: { type: 'integer', description: 'number of items to skip', query: true, range: [0] },
  limit: {
    type: 'integer',
    description: 'maximum number of items',
    query: `maximum number of items (default ${defaultLimit})`,
    range: [1, maxLimit],
  },
  total: { type: 'integer', description: 'total number of items' },
} as const

export const resources = { room, member, user, session, page, message, delivery }

export const secretFields: ReadonlySet<string> = new Set(
  Object.values<Resource>(resources).flatMap(({ fields }) =>
    Object.keys(fields).filter((name) => fields[name]?.secret),
  ),
)

export type Resources = typeof resources
export type ResourceName = keyof Resources
