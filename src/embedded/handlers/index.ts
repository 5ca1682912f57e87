import type { OperationName } from '../../api/endpoints.ts'
import { forbidden } from '../common/faults.ts'
import { requireRoom } from '../records/records.ts'
import type { HandlerContext, Handlers } from './handler-context.ts'
import { memberHandlers } from './members.ts'
import { pageHandlers } from './pages.ts'
import { roomHandlers } from './rooms.ts'
import { sessionHandlers } from './sessions.ts'
import { userHandlers } from './users.ts'
import { webhookHandlers } from './webhooks.ts'

const messageHandlers = {
  sendMessage({ store, sessionControl }, { params, body }) {
    if (requireRoom(store, params.room_id).terminated_at !== null) throw forbidden('the room is terminated')
    sessionControl.send(params.room_id, { event: 'message', message: body.message })
    return { message: body.message }
  },
} satisfies Partial<Handlers>

const handlers: Handlers = {
  ...roomHandlers,
  ...memberHandlers,
  ...userHandlers,
  ...sessionHandlers,
  ...pageHandlers,
  ...messageHandlers,
  ...webhookHandlers,
}

export function runHandler<N extends OperationName>(
  name: N,
  context: HandlerContext,
  input: unknown,
): unknown {
  return handlers[name](context, input as Parameters<Handlers[N]>[1])
}
