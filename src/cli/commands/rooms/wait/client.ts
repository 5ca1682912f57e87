import type { Client } from '../../../../client/client.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Deadline } from './deadline.ts'

export async function createPollClient(context: Context, deadline: Deadline): Promise<Client> {
  const { timeout } = await context.settings()
  return context.client({
    // Facts from earlier probes may be outdated.
    serviceFacts: {},
    timeoutMs: () => Math.min(timeout.value * 1000, Math.max(1, Math.round(deadline.leftMs()))),
    // The next poll replaces a retry.
    retries: 0,
  })
}
