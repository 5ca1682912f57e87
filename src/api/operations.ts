import type { OperationName } from './endpoints.ts'
import { addMember, getMember, listMembers, updateMember } from './members.ts'
import { sendMessage } from './messages.ts'
import type { Operation } from './operation.ts'
import { createPages } from './pages.ts'
import { createRoom, deleteRoom, getRoom, listRooms, updateRoom } from './rooms.ts'
import { listSessions } from './sessions.ts'
import { createUser, deleteUser, getUser, listUsers, updateUser } from './users.ts'

/** The 17 operations by name, in the order of section 4. */
export const operations = {
  listRooms,
  createRoom,
  getRoom,
  updateRoom,
  deleteRoom,
  listSessions,
  createPages,
  listMembers,
  addMember,
  getMember,
  updateMember,
  sendMessage,
  listUsers,
  createUser,
  getUser,
  updateUser,
  deleteUser,
} as const satisfies Record<OperationName, Operation>

export type Operations = typeof operations
