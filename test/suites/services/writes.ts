import { members } from './writes/members.ts'
import { others } from './writes/others.ts'
import { rooms } from './writes/rooms.ts'
import type { WriteScenario } from './writes/scenario.ts'
import { users } from './writes/users.ts'

export const writes: readonly WriteScenario[] = [...rooms, ...members, ...users, ...others]
