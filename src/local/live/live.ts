import type { MemberType } from '../../api/vocabulary.ts'

/** Why the service ends a session: the close code and reason that the client gets. */
export type Ending = readonly [code: number, reason: string]

export const endings = {
  stopping: [1001, 'the service is stopping'],
  blocked: [4001, 'blocked'],
  terminated: [4002, 'the room is terminated'],
  deleted: [4003, 'the room is deleted'],
  userDeleted: [4004, 'the user is deleted'],
} as const satisfies Record<string, Ending>

/** One connection of a member to a room (section 1). */
export interface LiveSession {
  readonly id: string
  readonly roomId: string
  readonly memberId: string
  readonly userId: string | null
  readonly type: MemberType
  send(frame: object): void
  close(ending: Ending): void
}

/** What the operations need of the live half of the service. */
export interface Live {
  /** Inside `store.write`: ends sessions of a room. Returns what to do once the write is on disk. */
  end(roomId: string, ending: Ending, meant?: (session: LiveSession) => boolean): () => void
  /** Inside `store.write`: ends the sessions of a user, in all rooms. */
  endUser(userId: string, ending: Ending): () => void
  /** Sends a frame to every live session of a room and no other (rule 4). */
  broadcast(roomId: string, frame: object): void
  /** The part of a room’s meeting time that is not stored yet, in milliseconds. */
  runningMs(roomId: string): number
}

/** For a service that answers one command: nobody is connected. */
export const nobodyLive: Live = {
  end: () => () => {},
  endUser: () => () => {},
  broadcast: () => {},
  runningMs: () => 0,
}
