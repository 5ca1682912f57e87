import type { Client } from '../../../../client/client.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Deadline } from './deadline.ts'

/** A client for a wait: each request has its usual deadline, and never more than what is left of the whole. */
export async function waitingClient(context: Context, deadline: Deadline): Promise<Client> {
  const { timeout } = await context.settings()
  return context.client({
    // Its own, as what a service was like a while ago says little.
    seen: {},
    timeoutMs: () => Math.min(timeout.value * 1000, Math.max(1, Math.round(deadline.leftMs()))),
    // The next look tries again.
    retries: 0,
  })
}
