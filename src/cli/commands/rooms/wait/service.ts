import { forgetProbe } from '../../../../client/probe.ts'
import type { Context } from '../../../kernel/context.ts'
import { waitingClient } from './client.ts'
import { deadlineIn } from './deadline.ts'
import { isTemporaryFailure, poll } from './poll.ts'

const pauseMs = 1000

/**
 * Waits until the service responds and accepts the key, for at most `wholeMs` milliseconds.
 * @throws {AuthError} if the service refuses the key
 * @throws {NetworkError
 * ServiceError} if the deadline passes
 */
export async function waitForService(context: Context, wholeMs: number): Promise<void> {
  const deadline = deadlineIn(context.host, wholeMs)
  const what = await context.services.target()
  const client = await waitingClient(context, deadline)
  const end = await poll(context, {
    what,
    deadline,
    pauseMs,
    async look() {
      forgetProbe(client.seen)
      return { found: await client.call('listRooms', { query: { limit: 1 } }) }
    },
  })
  if ('failure' in end && end.failure) throw isTemporaryFailure(end, end.failure, deadline)
}
