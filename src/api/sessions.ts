import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Id, QueryBoolean, Timestamp } from './shared.ts'
import { fields } from './vocabulary.ts'

const words = fields.session

/** Section 2.4. */
export const Session = z.looseObject({
  id: z.string().describe(words.id),
  member_id: z.string().nullish().describe(words.member_id),
  user_id: z.string().nullish().describe(words.user_id),
  connected_at: Timestamp.describe(words.connected_at),
  disconnected_at: Timestamp.describe(words.disconnected_at),
})

export const listSessions = {
  ...endpoints.listSessions,
  params: z.object({ room_id: Id.describe(fields.room.id) }),
  query: z.object({
    user_id: z.string().optional().describe(words.user_id),
    is_connecting: QueryBoolean.optional().describe(words.is_connecting),
  }),
  response: z.looseObject({ sessions: z.array(Session) }),
} as const satisfies Operation
