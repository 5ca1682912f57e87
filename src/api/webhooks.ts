import * as z from 'zod'

/** Section 6.1: the body that the service posts for each participant’s entry and exit. */
export const WebhookEvent = z.looseObject({
  action: z.enum(['sessionJoined', 'sessionLeft']),
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
