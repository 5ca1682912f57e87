import { forgetProbe } from '../../../../client/probe.ts'
import type { Context } from '../../../kernel/context.ts'
import { describeTarget } from '../../../requests/find-service.ts'
import { createDeadline, createPollClient, createTimeoutError, poll } from './poll.ts'

const pauseMs = 1000

/** @throws {MeetroomError} after a permanent error, a timeout or an interrupt */
export async function waitForService(context: Context, wholeMs: number): Promise<void> {
  const deadline = createDeadline(context.host, wholeMs)
  const what = await describeTarget(context)
  const client = await createPollClient(context, deadline)
  const end = await poll(context, {
    what,
    deadline,
    pauseMs,
    async poll() {
      forgetProbe(client.serviceFacts)
      return { found: await client.call('listRooms', { query: { limit: 1 } }) }
    },
  })
  if ('failure' in end && end.failure) throw createTimeoutError(end, end.failure, deadline)
}
