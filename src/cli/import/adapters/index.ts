import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { createUsers } from './users.ts'

/** Each import needs a new adapter, because adapters have state. */
export const createAdapters = { users: createUsers, rooms: createRooms, members: createMembers } as const
