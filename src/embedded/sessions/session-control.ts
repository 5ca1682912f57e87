import type { EndReason, MemberType } from '../../api/vocabulary.ts'
import type { EndedSession } from '../store/ended.ts'
import type { Frame } from './frame.ts'

export type CloseReason = readonly [code: number, reason: string]

export const closeReasons = {
  stopping: [1001, 'the service is stopping'],
  blocked: [4001, 'blocked'],
  terminated: [4002, 'the room is terminated'],
  deleted: [4003, 'the room is deleted'],
  userDeleted: [4004, 'the user is deleted'],
} as const satisfies Record<string, CloseReason>

export function toEndReason(closeReason: CloseReason): EndReason {
  return closeReason === closeReasons.blocked || closeReason === closeReasons.userDeleted ? 'kicked' : 'ended'
}

export interface Peer {
  send(frame: Frame): void
  close(closeReason: CloseReason): void
}

/** Connection of a member to a room (API specification, “What the service does”). */
export interface ConnectedSession extends EndedSession {
  readonly id: string
  readonly roomId: string
  readonly memberId: string
  readonly userId: string | null
  type: MemberType
  readonly connectedAt: number
  /** Wall clock minus monotonic clock at the start of the session, in milliseconds. */
  readonly clockOffset: number
  readonly peer: Peer
}

export type NewSession = Omit<ConnectedSession, 'seq' | 'connectedAt' | 'clockOffset'>

export interface SessionClient {
  ipAddress?: string | null
  userAgent?: string | null
}

/** Session operations that the handlers use. Call all but `meetingMs` inside `store.write`. */
export interface SessionControl {
  end(roomId: string, closeReason: CloseReason, isSelected?: (session: ConnectedSession) => boolean): void
  endUser(userId: string, closeReason: CloseReason): void
  setType(roomId: string, memberId: string, type: MemberType): void
  /** Sends a message to the room's current sessions only (API specification, “Endpoints”, rule 4). */
  send(roomId: string, message: object): void
  /** Sends the room, or only its pages, to the sessions that show the room, after the commit. */
  refresh(roomId: string, view?: 'pages'): void
  /** Returns the meeting time of a room in milliseconds; undefined if its clock is stopped. */
  meetingMs(roomId: string): number | undefined
}

export const noSessions: SessionControl = {
  end: () => {},
  endUser: () => {},
  setType: () => {},
  send: () => {},
  refresh: () => {},
  meetingMs: () => undefined,
}
