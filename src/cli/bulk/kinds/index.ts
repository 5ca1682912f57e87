import { createMembers } from './members.ts'
import { createRooms } from './rooms.ts'
import { users } from './users.ts'

/** Each import has a kind of its own, which may remember what it has looked up. */
export const kinds = { users: () => users, rooms: createRooms, members: createMembers } as const
