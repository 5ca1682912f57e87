import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { createUsers } from './users.ts'

/** Creates the adapter of an import; each import has its own caches. */
export const createAdapters = { users: createUsers, rooms: createRooms, members: createMembers } as const
