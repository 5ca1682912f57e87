import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { createUsers } from './users.ts'

/** Functions that create an import adapter. Each import needs its own adapter, because adapters cache lookups. */
export const createAdapters = { users: createUsers, rooms: createRooms, members: createMembers } as const
