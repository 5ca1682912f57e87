import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { createUsers } from './users.ts'

/** Each import gets its own kind, which may cache lookups. */
export const kinds = { users: createUsers, rooms: createRooms, members: createMembers } as const
