import { members } from './writes/members.ts'
import { others } from './writes/others.ts'
import { rooms } from './writes/rooms.ts'
import type { WriteScenario } from './writes/scenario.ts'
import { users } from './writes/users.ts'

/** Every command that writes to a service: alone, and for many items if it can. */
export const writes: readonly WriteScenario[] = [...rooms, ...members, ...users, ...others]
