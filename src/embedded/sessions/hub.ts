import type { MemberType } from '../../api/vocabulary.ts'
import { type Clock, every } from '../common/clock.ts'
import { peerTurnMs, type TurnScheduler } from '../common/pace.ts'
import { hasListedEnds } from '../store/ended.ts'
import type { Store } from '../store/store.ts'
import { announce, findWebhook } from '../webhooks/outbox.ts'
import { groupByRoom, recordDepartures } from './departures.ts'
import { toFrame } from './frame.ts'
import {
  type CloseReason,
  closeReasons,
  endReasonOf,
  type Live,
  type LiveSession,
  type NewSession,
} from './live.ts'
import { Meetings } from './meetings.ts'
import { closeAbandonedSessions, storeAliveTime } from './recovery.ts'
import { isParticipant, Roster } from './roster.ts'
import { TimedRounds } from './timed-rounds.ts'

const tickMs = 5000

/** Drift between the wall clock and the monotonic clock above which the wall clock was set, in milliseconds. */
const maxDriftMs = 1000

interface HubOptions {
  store: Store
  clock: Clock
  pace: TurnScheduler
  newId(): string
  /** Reports a failed write that no request waits for. */
  onFailure(error: unknown): void
  /** Runs after an event of a room is stored in the outbox. */
  onEvent(roomId: string): void
  /** Runs after ends are listed on disk, and again while they are unsettled. */
  onListed(): void
  maxDirectEnds?: number
}

/** Reason for the end of a session whose peer is gone. */
export type ConnectionEnd = 'left' | 'lost'

type Rooms = ReadonlyMap<string, readonly LiveSession[]>

/** The connected sessions. A failed `store.write` undoes the changes in memory too. */
export class Hub implements Live {
  readonly #options: HubOptions
  readonly #roster = new Roster<LiveSession>()
  readonly #rounds: TimedRounds
  /** Closed sessions whose end may not be stored yet. */
  readonly #unrecordedEnds = new Map<LiveSession, ConnectionEnd>()
  readonly #meetings: Meetings
  readonly #stopTicking: () => void

  constructor(options: HubOptions) {
    const { store, clock, pace, onFailure } = options
    this.#options = options
    this.#rounds = new TimedRounds(pace)
    this.#meetings = new Meetings({
      store,
      clock,
      onTimeUp: (roomId) => void this.#terminate(roomId).catch(onFailure),
    })
    this.#stopTicking = every(clock, tickMs, () => void this.#tick().catch(onFailure))
  }

  /** Closes the sessions that a crash left open. Call before the first `join`. */
  async recover(): Promise<void> {
    const { store, onEvent } = this.#options
    for (const roomId of await store.write(() => closeAbandonedSessions(this.#options))) onEvent(roomId)
  }

  /** Records the start of a session. Call inside `store.write`. */
  join(newSession: NewSession): LiveSession {
    const { store, clock } = this.#options
    const now = clock.now()
    const { id, roomId, memberId, userId, type } = newSession
    storeAliveTime(store, now)
    const seq = store.insert(
      'INSERT INTO sessions (id, room_id, member_id, user_id, type, connected_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      roomId,
      memberId,
      userId,
      type,
      now,
    )
    // New fields come first: in last place, V8 would give each object a shape of its own.
    const session = { seq, connectedAt: now, clockOffset: now - clock.monotonic(), ...newSession }
    this.#roster.add(session)
    store.onRollback(() => this.#roster.remove(session))
    if (isParticipant(session)) this.#enter(session, now)
    return session
  }

  /** Records the end of a session whose connection closed, unless it is recorded already. */
  async leave(session: LiveSession, reason: ConnectionEnd = 'left'): Promise<void> {
    if (!this.#roster.has(session)) {
      // The commit of its end may fail.
      this.#unrecordedEnds.set(session, reason)
      return
    }
    try {
      await this.#options.store.write(() => this.#end(groupByRoom([session]), reason))
    } catch (error) {
      this.#unrecordedEnds.set(session, reason)
      throw error
    }
  }

  /** Ends the selected sessions of a room. Call inside `store.write`. */
  end(
    roomId: string,
    closeReason: CloseReason,
    isSelected: (session: LiveSession) => boolean = () => true,
  ): void {
    const sessions = this.#roster.in(roomId).filter(isSelected)
    if (sessions.length > 0) this.#end(new Map([[roomId, sessions]]), closeReason)
  }

  endUser(userId: string, closeReason: CloseReason): void {
    this.#end(groupByRoom(this.#roster.of(userId)), closeReason)
  }

  /** @param why what the peers are told, or why their connections are gone */
  #end(rooms: Rooms, why: CloseReason | ConnectionEnd): void {
    if (rooms.size === 0) return
    const { store, clock, onEvent } = this.#options
    const closeReason = typeof why === 'string' ? undefined : why
    const reason = typeof why === 'string' ? why : endReasonOf(why)
    const roster = this.#roster
    const now = clock.now()
    storeAliveTime(store, now)
    store.onRollback(() => {
      for (const sessions of rooms.values()) for (const session of sessions) roster.add(session)
    })
    const announced = recordDepartures({ ...this.#options, roster }, rooms, this.#endOf(now), reason)
    for (const roomId of rooms.keys()) this.#updateMeetingClock(roomId)
    store.afterCommit(() => {
      for (const roomId of announced) onEvent(roomId)
      if (closeReason) this.#closePeers(rooms, closeReason)
    })
  }

  /** Computes the end of a session with the monotonic clock, as the wall clock may be set. */
  #endOf(now: number): (session: LiveSession) => number {
    const clockOffset = now - this.#options.clock.monotonic()
    return (session) => {
      const offsetChange = Math.round(clockOffset - session.clockOffset)
      return Math.abs(offsetChange) < maxDriftMs ? now : now - offsetChange
    }
  }

  #closePeers(rooms: Rooms, closeReason: CloseReason): void {
    for (const [roomId, sessions] of rooms)
      this.#rounds.go(roomId, { sessions, act: ({ peer }) => peer.close(closeReason), turnMs: peerTurnMs })
  }

  /** Changes the role of a member's sessions, which may enter or leave the meeting. Call inside `store.write`. */
  setType(roomId: string, memberId: string, type: MemberType): void {
    for (const session of this.#roster.in(roomId))
      if (session.memberId === memberId && session.type !== type) this.#setType(session, type)
  }

  #setType(session: LiveSession, type: MemberType): void {
    const { store, clock } = this.#options
    const before = session.type
    const wasParticipant = isParticipant(session)
    this.#roster.setType(session, type)
    store.onRollback(() => this.#roster.setType(session, before))
    store.run('UPDATE sessions SET type = ? WHERE id = ?', type, session.id)
    if (isParticipant(session) === wasParticipant) return
    if (wasParticipant) {
      this.#updateMeetingClock(session.roomId)
      this.#announce('sessionLeft', session, clock.now())
    } else this.#enter(session, clock.now())
  }

  #enter(session: LiveSession, now: number): void {
    const { store } = this.#options
    store.run('UPDATE rooms SET started_at = coalesce(started_at, ?) WHERE id = ?', now, session.roomId)
    this.#updateMeetingClock(session.roomId)
    this.#announce('sessionJoined', session, now)
  }

  /** Sends a message to the room's current sessions only (API specification, rule 4). Call inside `store.write`. */
  send(roomId: string, message: object): void {
    const sessions = this.#roster.in(roomId)
    if (sessions.length === 0) return
    const frame = toFrame(message)
    this.#options.store.afterCommit(() =>
      this.#rounds.go(roomId, { sessions, act: ({ peer }) => peer.send(frame) }),
    )
  }

  meetingMs(roomId: string): number | undefined {
    return this.#meetings.ms(roomId)
  }

  async close(): Promise<void> {
    this.#stopTicking()
    const rooms = groupByRoom(this.#roster.all())
    try {
      await this.#options.store.write(() => this.#end(rooms, closeReasons.stopping))
    } catch (error) {
      // The next start records when they ended.
      this.#options.onFailure(error)
      this.#closePeers(rooms, closeReasons.stopping)
    }
    await this.#rounds.done()
  }

  /** Runs the meeting clock while two or more participants are connected. */
  #updateMeetingClock(roomId: string): void {
    this.#meetings.set(roomId, this.#roster.counts(roomId).membersCount >= 2)
  }

  async #terminate(roomId: string): Promise<void> {
    const { store, clock } = this.#options
    await store.write(() => {
      this.end(roomId, closeReasons.terminated)
      const now = clock.now()
      store.run(
        'UPDATE rooms SET terminated_at = coalesce(terminated_at, ?), updated_at = ? WHERE id = ?',
        now,
        now,
        roomId,
      )
    })
  }

  /** Stores the data for crash recovery, and ends that could not be stored before. */
  async #tick(): Promise<void> {
    const { store, clock, onListed } = this.#options
    const ended = [...this.#unrecordedEnds]
    const stored = store.write(() => {
      storeAliveTime(store, clock.now())
      for (const reason of ['left', 'lost'] as const) {
        const sessions = ended.filter(([session, why]) => why === reason && this.#roster.has(session))
        this.#end(groupByRoom(sessions.map(([session]) => session)), reason)
      }
    })
    // Concurrent writes share a commit.
    await Promise.all([stored, this.#meetings.save()])
    for (const [session] of ended) this.#unrecordedEnds.delete(session)
    // A step that settles them may have failed.
    if (hasListedEnds(store)) onListed()
  }

  #announce(action: 'sessionJoined' | 'sessionLeft', session: LiveSession, at: number): void {
    const { store, newId, onEvent } = this.#options
    const { id: sessionId, roomId, memberId, userId } = session
    const target = findWebhook(store, roomId)
    if (target === undefined) return
    const move = { action, sessionId, memberId, userId, at, ...this.#roster.counts(roomId) }
    announce(store, newId, roomId, target, [move])
    store.afterCommit(() => onEvent(roomId))
  }
}
