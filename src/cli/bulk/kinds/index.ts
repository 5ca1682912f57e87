import { createMembers } from './members.ts'
import { rooms } from './rooms.ts'
import { users } from './users.ts'

/** Each import has a kind of its own, which may remember what it has looked up. */
export const kinds = { users: () => users, rooms: () => rooms, members: createMembers } as const
