import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Id } from './shared.ts'
import { fields } from './vocabulary.ts'

/** Rule 4: the live sessions receive the same `message` value. */
export const sendMessage = {
  ...endpoints.sendMessage,
  params: z.object({ room_id: Id.describe(fields.room.id) }),
  body: z.looseObject({ message: z.string().describe(fields.message.message) }),
  response: z.looseObject({ message: z.string() }),
} as const satisfies Operation
