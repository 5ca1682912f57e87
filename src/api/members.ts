import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Id, MemberType, open, Paging, pagingQuery } from './shared.ts'
import { fields } from './vocabulary.ts'

const words = fields.member

/** Section 2.2. An anonymous participant of an open room has no user. */
export const Member = z.looseObject({
  id: z.string().describe(words.id),
  user_id: z.string().nullish().describe(words.user_id),
  room_id: z.string().nullish().describe(words.room_id),
  type: open(MemberType).nullish().describe(words.type),
})

const MemberAnswer = z.looseObject({ member: Member })
const room = { room_id: Id.describe(fields.room.id) }
const member = { ...room, member_id: Id.describe(words.id) }

export const listMembers = {
  ...endpoints.listMembers,
  params: z.object(room),
  query: z.object(pagingQuery),
  response: z.looseObject({
    members: z.array(Member),
    paging: Paging.nullish(),
  }),
} as const satisfies Operation

export const addMember = {
  ...endpoints.addMember,
  params: z.object(room),
  body: z.looseObject({
    user_id: z.string().min(1).describe(words.user_id),
    type: MemberType.optional().describe(words.type),
  }),
  response: MemberAnswer,
} as const satisfies Operation

export const getMember = {
  ...endpoints.getMember,
  params: z.object(member),
  response: MemberAnswer,
} as const satisfies Operation

/** Rule 2: `is_blocked` kicks the user at once and works only on rooms of type `private`. */
export const updateMember = {
  ...endpoints.updateMember,
  params: z.object(member),
  body: z
    .looseObject({
      name: z.string().describe(words.name),
      type: MemberType.describe(words.type),
      is_blocked: z.boolean().describe(words.is_blocked),
    })
    .partial(),
  response: MemberAnswer,
} as const satisfies Operation
