import * as z from 'zod'
import { webhookActions } from './vocabulary.ts'

/** Body of the webhook for a participant's entry or exit (API specification, “Webhook”). */
export const WebhookEvent = z.looseObject({
  action: z.enum(webhookActions),
  payload: z.looseObject({
    roomId: z.string(),
    userId: z.string().optional(),
    memberId: z.string(),
    sessionId: z.string(),
    sessionsCount: z.number(),
    membersCount: z.number(),
    timestamp: z.iso.datetime({ precision: 3 }),
  }),
})
