import { members } from './writes/members.ts'
import { others } from './writes/others.ts'
import { rooms } from './writes/rooms.ts'
import type { WriteScenario } from './writes/scenario.ts'
import { users } from './writes/users.ts'

/** Calls of every command that writes to a service, with one item and, if possible, with many items. */
export const writes: readonly WriteScenario[] = [...rooms, ...members, ...users, ...others]
