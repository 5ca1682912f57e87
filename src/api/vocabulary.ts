/**
 * The words of the API document, apart from the zod schemas that use them: help texts need the words and must not
 * wait for zod to load.
 */

/** Section 2.1: decides who may join and replay the meeting. */
export const roomTypes = ['open', 'public', 'private'] as const
export type RoomType = (typeof roomTypes)[number]

/** Section 2.2: the role of a user in a room. */
export const memberTypes = ['guest', 'host', 'monitor'] as const
export type MemberType = (typeof memberTypes)[number]

/** Section 2.1: what a deprecated field carries. */
export const deprecated = '#DEPRECATED#'

/** Section 2.6. */
export const defaultLimit = 30

/** Section 2: what each field means. Help texts and schema descriptions both come from here. */
export const fields = {
  room: {
    id: 'room identifier',
    type: 'who may join and replay: open (anyone with the URL), public (any workspace member), private (only invited users)',
    name: 'human-readable name',
    application_id: 'identifier of the owning application',
    thumbnail_url: 'URL of the thumbnail',
    layout: 'layout name',
    record: 'record all meetings in the room',
    meeting_time: 'meeting time of the room',
    started_at: 'when the room was started (UTC)',
    terminated_at: 'when the room was terminated (UTC)',
    updated_at: 'when the room was last changed (UTC)',
    created_at: 'when the room was created (UTC)',
    is_terminated: 'whether the room is terminated',
    max_meeting_seconds: 'maximum meeting time in seconds; the room is terminated when it has elapsed',
    members: 'user to invite',
  },
  member: {
    id: 'member identifier',
    user_id: 'the user this member refers to',
    room_id: 'the room',
    type: 'role in the room: guest, host (administrator) or monitor (watches, cannot join)',
    name: 'display name in the meeting room',
    is_blocked: 'kick the user from the room; private rooms only',
  },
  user: {
    user_id: 'caller-chosen identifier of the user',
    name: 'name of the user',
    profile_url: 'URL of the profile image',
    default_member_type: 'default type of member when invited to a room: guest, host or monitor',
    access_token: 'token of the user',
    created_at: 'when the user was created (UTC)',
    updated_at: 'when the user was last changed (UTC)',
    id: 'internal identifier',
    email_search_query: 'filter users by their e-mail',
  },
  session: {
    id: 'session identifier',
    member_id: 'the member that is or was connected',
    user_id: 'the user that is or was connected',
    connected_at: 'when the connection began (UTC)',
    disconnected_at: 'when the connection ended (UTC)',
    is_connecting: 'whether the session is online',
  },
  page: {
    id: 'page identifier',
    entities: 'content of the page',
    size: 'size of the page',
    index: 'position of the page',
    type: 'kind of entity',
    src: 'URL of the image',
    fixed: 'fix the image in its place',
  },
  message: { message: 'text for the live sessions of the room' },
  paging: {
    limit: 'how many items at the most',
    offset: 'how many items to skip',
    total: 'how many items there are',
  },
} as const
