import type { Handlers } from './handler.ts'
import { memberHandlers } from './members.ts'
import { pageHandlers } from './pages.ts'
import { roomHandlers } from './rooms.ts'
import { sessionHandlers } from './sessions.ts'
import { userHandlers } from './users.ts'

/** The 17 behaviours. */
export const handlers: Handlers = {
  ...roomHandlers,
  ...memberHandlers,
  ...userHandlers,
  ...sessionHandlers,
  ...pageHandlers,
}
