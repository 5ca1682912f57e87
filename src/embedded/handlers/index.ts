import type { OperationName } from '../../api/endpoints.ts'
import type { HandlerContext, Handlers } from './handler-context.ts'
import { memberHandlers } from './members.ts'
import { messageHandlers } from './messages.ts'
import { pageHandlers } from './pages.ts'
import { roomHandlers } from './rooms.ts'
import { sessionHandlers } from './sessions.ts'
import { userHandlers } from './users.ts'

const handlers: Handlers = {
  ...roomHandlers,
  ...memberHandlers,
  ...userHandlers,
  ...sessionHandlers,
  ...pageHandlers,
  ...messageHandlers,
}

/** Runs the handler of an operation. The operation's schemas must have validated the input. */
export function handle<N extends OperationName>(name: N, desk: HandlerContext, input: unknown): unknown {
  return handlers[name](desk, input as Parameters<Handlers[N]>[1])
}
