import type { MemberType } from '../../api/vocabulary.ts'
import type { EndedSession } from '../store/ended.ts'
import type { Frame } from './frame.ts'

/** Why the service ends a session: the close code and reason that the client gets. */
export type Ending = readonly [code: number, reason: string]

export const endings = {
  stopping: [1001, 'the service is stopping'],
  blocked: [4001, 'blocked'],
  terminated: [4002, 'the room is terminated'],
  deleted: [4003, 'the room is deleted'],
  userDeleted: [4004, 'the user is deleted'],
} as const satisfies Record<string, Ending>

/** Who is at the other end of a connection. */
export interface Peer {
  send(frame: Frame): void
  close(ending: Ending): void
}

/** One connection of a member to a room (section 1). */
export interface LiveSession extends EndedSession {
  readonly id: string
  readonly roomId: string
  readonly memberId: string
  readonly userId: string | null
  /** The role of the member, which may change while the session lasts. */
  type: MemberType
  /** In milliseconds since 1970. */
  readonly connectedAt: number
  /** How far the wall clock was ahead of the monotonic clock then, in milliseconds. */
  readonly ahead: number
  readonly peer: Peer
}

/** A connection whose session is not recorded yet. */
export type Newcomer = Omit<LiveSession, 'seq' | 'connectedAt' | 'ahead'>

/** What the operations need of the live half of the service. All but `meetingMs` is called inside `store.write`. */
export interface Live {
  /** Ends sessions of a room. */
  end(roomId: string, ending: Ending, meant?: (session: LiveSession) => boolean): void
  /** Ends the sessions of a user, in all rooms. */
  endUser(userId: string, ending: Ending): void
  /** Gives the sessions of a member in a room another role, which counts at once. */
  setType(roomId: string, memberId: string, type: MemberType): void
  /** Sends a message to every session that is live in a room now, and to no other (rule 4). */
  send(roomId: string, message: object): void
  /** Meeting time of a room whose meeting is running, in milliseconds. */
  meetingMs(roomId: string): number | undefined
}

/** For a service that answers one command: nobody is connected. */
export const noSessions: Live = {
  end: () => {},
  endUser: () => {},
  setType: () => {},
  send: () => {},
  meetingMs: () => undefined,
}
