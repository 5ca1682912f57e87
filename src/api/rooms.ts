import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Deprecated, Id, MemberType, open, Paging, pagingQuery, QueryBoolean, Timestamp } from './shared.ts'
import { fields, roomTypes } from './vocabulary.ts'

const words = fields.room

export const RoomType = z.enum(roomTypes)

/** Section 2.1. */
export const Room = z.looseObject({
  id: z.string().describe(words.id),
  type: open(RoomType).describe(words.type),
  name: z.string().nullish().describe(words.name),
  application_id: z.string().nullish().describe(words.application_id),
  thumbnail_url: z.string().nullish().describe(words.thumbnail_url),
  layout: z.string().nullish().describe(words.layout),
  record: z.boolean().nullish().describe(words.record),
  meeting_time: z.number().nullish().describe(words.meeting_time),
  started_at: Timestamp.describe(words.started_at),
  terminated_at: Timestamp.describe(words.terminated_at),
  updated_at: Timestamp.describe(words.updated_at),
  created_at: Timestamp.describe(words.created_at),
  created_user_id: Deprecated,
  last_thumbnail_updated_at: Deprecated,
  room_template_id: Deprecated,
  is_terminated: Deprecated,
  is_ephemeral: Deprecated,
  is_recurring: Deprecated,
})

/** Where to announce entries and exits (section 6.1). The document leaves the names out; these are the embedded service's. */
export const WebhookSettings = z.looseObject({
  url: z.string().describe('where to announce who enters and leaves'),
  headers: z.record(z.string(), z.string()).optional().describe('headers to send along'),
  secret: z.string().optional().describe('secret to sign deliveries with'),
})

/** Section 2.7. */
export const CreateRoomBody = z.looseObject({
  name: z.string().min(1).describe(words.name),
  type: RoomType.describe(words.type),
  record: z.boolean().optional().describe(words.record),
  max_meeting_seconds: z.int().positive().optional().describe(words.max_meeting_seconds),
  members: z
    .array(
      z.looseObject({
        user_id: z.string().min(1).describe(fields.member.user_id),
        type: MemberType.optional().describe(fields.member.type),
        name: z.string().optional().describe(fields.member.name),
      }),
    )
    .optional()
    .describe(words.members),
  webhook: WebhookSettings.optional().describe('announce entries and exits (section 6.1)'),
  layout: z.string().min(1).optional().describe(words.layout),
})

const RoomAnswer = z.looseObject({ room: Room })

export const listRooms = {
  ...endpoints.listRooms,
  query: z.object({
    ...pagingQuery,
    name: z.string().optional().describe('exact name'),
    layout: z.string().optional().describe(words.layout),
    is_terminated: QueryBoolean.optional().describe(words.is_terminated),
  }),
  response: z.looseObject({ rooms: z.array(Room), paging: Paging.nullish() }),
} as const satisfies Operation

export const createRoom = {
  ...endpoints.createRoom,
  body: CreateRoomBody,
  response: z.looseObject({ room: Room, paging: Paging.nullish() }),
} as const satisfies Operation

export const getRoom = {
  ...endpoints.getRoom,
  params: z.object({ id: Id.describe(words.id) }),
  response: RoomAnswer,
} as const satisfies Operation

export const updateRoom = {
  ...endpoints.updateRoom,
  params: z.object({ id: Id.describe(words.id) }),
  body: z
    .looseObject({
      name: z.string().min(1).describe(words.name),
      is_terminated: z.boolean().describe(words.is_terminated),
      layout: z.string().min(1).describe(words.layout),
    })
    .partial(),
  response: RoomAnswer,
} as const satisfies Operation

export const deleteRoom = {
  ...endpoints.deleteRoom,
  params: z.object({ id: Id.describe(words.id) }),
  response: RoomAnswer,
} as const satisfies Operation
