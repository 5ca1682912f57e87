import { type Resource, resource } from './resource.ts'
import { defaultLimit, endReasons, maxLimit, memberTypes, roomTypes } from './vocabulary.ts'

/**
 * Fields of every resource, in the order of the API specification, followed by unlisted ones. Schemas, views, --where,
 * import and export derive from them. This module must not load zod, which takes longer than a request.
 */

const gone = { type: 'text', words: 'no longer used', answer: 'deprecated' } as const

/** Member (API specification, sections 2.2 and 4). An anonymous participant of an open room has no user. */
export const member = resource({
  name: 'member',
  plural: 'members',
  id: 'id',
  label: 'user_id',
  fields: {
    id: { type: 'id', words: 'member id', answer: 'always', column: [1, 9] },
    user_id: {
      type: 'id',
      words: 'the user this member refers to',
      write: 'create',
      required: true,
      column: [2, 8],
    },
    room_id: { type: 'id', words: 'the room' },
    type: {
      type: memberTypes,
      words: 'role in the room: guest, host (administrator) or monitor (watches, cannot join)',
      write: 'create update',
      column: [3, 7],
    },
    name: {
      type: 'text',
      words: 'display name in the meeting room',
      write: 'update',
      answer: 'unlisted',
      column: [5, 5],
    },
    is_blocked: {
      type: 'boolean',
      words: 'kick the user out of the room and keep them out; private rooms only',
      write: 'update',
      destructive: true,
      answer: 'unlisted',
    },
    created_at: { type: 'time', words: 'when the member was invited (UTC)', answer: 'unlisted' },
    updated_at: { type: 'time', words: 'when the member was last changed (UTC)', answer: 'unlisted' },
  },
})

const { user_id, type: member_type, name: member_name } = member.fields

/** Room (API specification, sections 2.1 and 2.7). */
export const room = resource({
  name: 'room',
  plural: 'rooms',
  id: 'id',
  label: 'name',
  fields: {
    id: { type: 'id', words: 'room id', answer: 'always', column: [1, 9] },
    type: {
      type: roomTypes,
      words:
        'who may join and replay: open (anyone with the URL), public (any workspace member), private (only invited users)',
      write: 'create',
      required: true,
      answer: 'always',
      column: [3, 7],
    },
    name: {
      type: 'name',
      words: 'human-readable name',
      write: 'create update',
      required: true,
      query: 'exact name',
      column: [2, 8],
    },
    application_id: { type: 'id', words: 'id of the owning application' },
    thumbnail_url: { type: 'url', words: 'URL of the thumbnail' },
    layout: { type: 'name', words: 'layout name', write: 'create update', query: true, column: [6, 1] },
    record: { type: 'boolean', words: 'record all meetings in the room', write: 'create', column: [5, 2] },
    meeting_time: { type: 'number', words: 'meeting time of the room' },
    started_at: { type: 'time', words: 'when the room was started (UTC)' },
    terminated_at: { type: 'time', words: 'when the room was terminated (UTC)' },
    updated_at: { type: 'time', words: 'when the room was last changed (UTC)' },
    created_at: { type: 'time', words: 'when the room was created (UTC)', column: [7, 4] },
    created_user_id: gone,
    last_thumbnail_updated_at: gone,
    room_template_id: gone,
    is_terminated: {
      type: 'boolean',
      words: 'whether the room is terminated',
      write: 'update',
      destructive: true,
      query: true,
      answer: 'deprecated',
    },
    is_ephemeral: gone,
    is_recurring: gone,
    max_meeting_seconds: {
      type: 'seconds',
      words: 'maximum meeting time in seconds; the room is terminated when it has elapsed',
      write: 'create',
      answer: 'unlisted',
    },
    // A room that is reopened starts over, so that meeting_time does not show how much of the limit is left.
    remaining_seconds: {
      type: 'number',
      words: 'meeting time in seconds until the room is terminated; null without max_meeting_seconds',
      answer: 'unlisted',
    },
    members: {
      type: { list: { user_id, type: member_type, name: { ...member_name, write: 'create' } } },
      words: 'user to invite',
      write: 'create',
      answer: 'never',
    },
    // The API specification names no webhook parameters (section 6.1); these are the embedded service's.
    webhook: {
      type: {
        object: {
          url: {
            type: 'url',
            words: 'URL to notify when a participant enters or leaves',
            write: 'create',
            required: true,
          },
          headers: { type: 'headers', words: 'headers to send with notifications', write: 'create' },
          secret: { type: 'text', words: 'secret to sign notifications with', write: 'create' },
        },
      },
      words: 'notify a URL of entries and exits (section 6.1)',
      write: 'create',
      answer: 'never',
    },
  },
})

/** User (API specification, section 2.3). */
export const user = resource({
  name: 'user',
  plural: 'users',
  id: 'user_id',
  label: 'name',
  fields: {
    user_id: {
      type: 'id',
      words: 'user id, chosen by the caller',
      write: 'create',
      required: true,
      answer: 'always',
      column: [1, 9],
    },
    name: { type: 'text', words: 'name of the user', write: 'create update', column: [2, 8] },
    profile_url: { type: 'url', words: 'URL of the profile image', write: 'create update', column: [4, 1] },
    default_member_type: {
      type: memberTypes,
      words: 'default role when invited to a room: guest, host or monitor',
      write: 'create update',
      column: [3, 5],
    },
    access_token: { type: 'text', words: 'token of the user', secret: true },
    created_at: { type: 'time', words: 'when the user was created (UTC)', column: [5, 3] },
    updated_at: { type: 'time', words: 'when the user was last changed (UTC)' },
    id: { type: 'id', words: 'internal id' },
    // The API specification searches users by email but lists no such field; this is the embedded service's name.
    email: { type: 'text', words: 'e-mail address', write: 'create update', answer: 'unlisted' },
    email_search_query: {
      type: 'text',
      words: 'only users whose e-mail address contains this',
      query: true,
      answer: 'never',
    },
  },
})

/** Session (API specification, section 2.4). */
export const session = resource({
  name: 'session',
  plural: 'sessions',
  id: 'id',
  fields: {
    id: { type: 'id', words: 'session id', answer: 'always', column: [1, 9] },
    member_id: { type: 'id', words: 'the member who is or was connected', column: [3, 5] },
    user_id: { type: 'id', words: 'the user who is or was connected', query: true, column: [2, 8] },
    connected_at: { type: 'time', words: 'when the connection began (UTC)', column: [5, 4] },
    disconnected_at: { type: 'time', words: 'when the connection ended (UTC)', column: [6, 3] },
    end_reason: {
      type: endReasons,
      words:
        'why the session ended: left, lost (connection), kicked (blocked or deleted user) or ended (room or service)',
      answer: 'unlisted',
    },
    is_connecting: { type: 'boolean', words: 'whether the session is online', query: true, answer: 'never' },
  },
})

/** Entity (API specification, section 2.5); `Image` is the only specified type. */
export const entity = {
  type: { type: 'name', words: 'kind of entity', write: 'create', required: true },
  src: { type: 'url', words: 'URL of the image', write: 'create' },
  fixed: { type: 'boolean', words: 'pin the image in place', write: 'create', answer: 'unlisted' },
} as const

/** Page (API specification, section 2.5). */
export const page = resource({
  name: 'page',
  plural: 'pages',
  id: 'id',
  fields: {
    id: { type: 'id', words: 'page id', answer: 'always', column: [1, 9] },
    entities: { type: { list: entity }, words: 'content of the page', write: 'create' },
    size: {
      type: {
        object: {
          width: { type: 'number', words: 'width of the page', write: 'create', required: true },
          height: { type: 'number', words: 'height of the page', write: 'create', required: true },
        },
      },
      words: 'size of the page',
      write: 'create',
      answer: 'unlisted',
    },
    index: { type: 'integer', words: 'position of the page', write: 'create', answer: 'unlisted' },
  },
})

/** Message (API specification, rule 4). */
export const message = resource({
  name: 'message',
  plural: 'messages',
  fields: {
    message: {
      type: 'text',
      words: 'text for the live sessions of the room',
      write: 'create',
      required: true,
      answer: 'always',
      column: [1, 9],
    },
  },
})

/** Paging (API specification, section 2.6). */
export const paging = {
  offset: { type: 'integer', words: 'number of items to skip', query: true, range: [0] },
  limit: {
    type: 'integer',
    words: 'maximum number of items',
    query: `maximum number of items (default ${defaultLimit})`,
    range: [1, maxLimit],
  },
  total: { type: 'integer', words: 'total number of items' },
} as const

export const resources = { room, member, user, session, page, message }

export const secretFields: ReadonlySet<string> = new Set(
  Object.values<Resource>(resources).flatMap(({ fields }) =>
    Object.keys(fields).filter((name) => fields[name]?.secret),
  ),
)

export type Resources = typeof resources
export type ResourceName = keyof Resources
