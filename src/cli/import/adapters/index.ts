import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { createUsers } from './users.ts'

/** Functions that create import adapters. Each import needs a new adapter, because adapters cache lookups. */
export const createAdapters = { users: createUsers, rooms: createRooms, members: createMembers } as const
