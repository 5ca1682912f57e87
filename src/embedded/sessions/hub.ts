import type { MemberType } from '../../api/vocabulary.ts'
import { type Clock, startInterval } from '../common/clock.ts'
import { hasListedEnds } from '../store/ended.ts'
import { enqueueOrPack, findWebhook } from '../webhooks/outbox.ts'
import { BroadcastQueue } from './broadcast-queue.ts'
import {
  closeAbandonedSessions,
  type DepartureDeps,
  groupByRoom,
  recordDepartures,
  storeAliveTime,
} from './departures.ts'
import { toFrame } from './frame.ts'
import { MeetingClocks } from './meeting-clocks.ts'
import { RoomViews } from './room-views.ts'
import { isParticipant, Roster } from './roster.ts'
import {
  type CloseReason,
  type ConnectedSession,
  closeReasons,
  type NewSession,
  type SessionClient,
  type SessionControl,
  toEndReason,
} from './session-control.ts'

const tickMs = 5000

/** Drift from the monotonic clock at which the wall clock counts as set, in milliseconds. */
const maxDriftMs = 1000

interface HubOptions extends Omit<DepartureDeps<ConnectedSession>, 'roster'> {
  clock: Clock
  /** Clock for the minimum time between updates of a room; defaults to `clock`. */
  realClock?: Clock
  /** Reports an error that no request waits for. */
  onFailure(error: unknown): void
  /** Called after a webhook event of a room is committed. */
  onEvent(roomId: string): void
}

/** Reason for a session end that a closed connection caused. */
type ConnectionEnd = 'left' | 'lost'

type Rooms = ReadonlyMap<string, readonly ConnectedSession[]>

export class Hub implements SessionControl {
  readonly #options: HubOptions
  readonly #roster = new Roster<ConnectedSession>()
  readonly #broadcasts = new BroadcastQueue()
  /** Closed sessions whose end may not be stored yet. */
  readonly #unrecordedEnds = new Map<ConnectedSession, ConnectionEnd>()
  readonly #meetings: MeetingClocks
  readonly #views: RoomViews
  readonly #stopTicking: () => void

  constructor(options: HubOptions) {
    const { store, clock, realClock = clock, onFailure } = options
    this.#options = options
    this.#meetings = new MeetingClocks({
      store,
      clock,
      onTimeUp: (roomId) => void this.#terminate(roomId).catch(onFailure),
    })
    this.#views = new RoomViews({
      ...{ store, clock: realClock, onFailure },
      roster: this.#roster,
      broadcasts: this.#broadcasts,
      meetingMs: (roomId) => this.meetingMs(roomId),
      currentMs: (roomId, meetingMs) => this.#meetings.readCurrentMs(roomId, meetingMs),
    })
    this.#stopTicking = startInterval(clock, tickMs, () => void this.#tick().catch(onFailure))
  }

  /** Closes the open sessions of a previous run. Call before the first `join`. */
  async recover(): Promise<void> {
    const { store, onEvent } = this.#options
    for (const roomId of await store.write(() => closeAbandonedSessions(this.#options))) onEvent(roomId)
  }

  /** Call inside `store.write`. */
  join(newSession: NewSession, { ipAddress = null, userAgent = null }: SessionClient = {}): ConnectedSession {
    const { store, clock } = this.#options
    const now = clock.now()
    const { id, roomId, memberId, userId, type } = newSession
    storeAliveTime(store, now)
    const seq = store.insert('sessions', {
      ...{ id, room_id: roomId, member_id: memberId, user_id: userId, type },
      ...{ connected_at: now, ip_address: ipAddress, user_agent: userAgent },
    })
    // If the spread came first, V8 would give each object a separate hidden class.
    const session = { seq, connectedAt: now, clockOffset: now - clock.monotonic(), ...newSession }
    this.#roster.add(session)
    store.onRollback(() => this.#roster.remove(session))
    if (isParticipant(session)) this.#recordEntry(session, now)
    this.refresh(roomId)
    return session
  }

  /** Sends the room to a session after the commit, and after each change. Call inside `store.write`. */
  view(session: ConnectedSession): void {
    this.#options.store.afterCommit(() => this.#views.add(session))
  }

  refresh(roomId: string, view?: 'pages'): void {
    this.#options.store.afterCommit(() => this.#views.changed(roomId, view))
  }

  /** Records the end of a session whose connection closed, unless another write does. */
  async leave(session: ConnectedSession, reason: ConnectionEnd = 'left'): Promise<void> {
    // The commit that ends this session may still fail.
    if (!this.#roster.has(session)) return void this.#unrecordedEnds.set(session, reason)
    try {
      await this.#options.store.write(() => this.#end(groupByRoom([session]), reason))
    } catch (error) {
      this.#unrecordedEnds.set(session, reason)
      throw error
    }
  }

  end(
    roomId: string,
    closeReason: CloseReason,
    isSelected: (session: ConnectedSession) => boolean = () => true,
  ): void {
    const sessions = this.#roster.listRoomSessions(roomId).filter(isSelected)
    if (sessions.length > 0) this.#end(new Map([[roomId, sessions]]), closeReason)
  }

  endUser(userId: string, closeReason: CloseReason): void {
    this.#end(groupByRoom(this.#roster.listUserSessions(userId)), closeReason)
  }

  /** @param cause close reason to send to the peers, or the reason why their connections closed */
  #end(rooms: Rooms, cause: CloseReason | ConnectionEnd): void {
    if (rooms.size === 0) return
    const { store, clock, onEvent } = this.#options
    const closeReason = typeof cause === 'string' ? undefined : cause
    const reason = typeof cause === 'string' ? cause : toEndReason(cause)
    const roster = this.#roster
    const now = clock.now()
    storeAliveTime(store, now)
    store.onRollback(() => {
      for (const sessions of rooms.values()) for (const session of sessions) roster.add(session)
    })
    const roomsWithEvents = recordDepartures(
      { ...this.#options, roster },
      rooms,
      this.#createEndTimeGetter(now),
      reason,
    )
    for (const roomId of rooms.keys()) this.#updateMeetingClock(roomId)
    store.afterCommit(() => {
      for (const roomId of roomsWithEvents) onEvent(roomId)
      for (const roomId of rooms.keys()) this.#views.changed(roomId)
      if (closeReason) this.#closePeers(rooms, closeReason)
    })
  }

  /** Creates a function that computes the end of a session, corrected for large wall-clock changes. */
  #createEndTimeGetter(now: number): (session: ConnectedSession) => number {
    const clockOffset = now - this.#options.clock.monotonic()
    return (session) => {
      const offsetChange = Math.round(clockOffset - session.clockOffset)
      return Math.abs(offsetChange) < maxDriftMs ? now : now - offsetChange
    }
  }

  #closePeers(rooms: Rooms, closeReason: CloseReason): void {
    for (const [roomId, sessions] of rooms)
      this.#broadcasts.enqueue(roomId, sessions, ({ peer }) => peer.close(closeReason))
  }

  setType(roomId: string, memberId: string, type: MemberType): void {
    for (const session of this.#roster.listRoomSessions(roomId))
      if (session.memberId === memberId && session.type !== type) this.#setType(session, type)
  }

  #setType(session: ConnectedSession, type: MemberType): void {
    const { store, clock } = this.#options
    const before = session.type
    const wasParticipant = isParticipant(session)
    this.#roster.setType(session, type)
    store.onRollback(() => this.#roster.setType(session, before))
    store.update('sessions', { id: session.id }, { type })
    this.refresh(session.roomId)
    if (isParticipant(session) === wasParticipant) return
    if (wasParticipant) {
      this.#updateMeetingClock(session.roomId)
      this.#announce('sessionLeft', session, clock.now())
    } else this.#recordEntry(session, clock.now())
  }

  #recordEntry(session: ConnectedSession, now: number): void {
    const { store } = this.#options
    store.run('UPDATE rooms SET started_at = coalesce(started_at, ?) WHERE id = ?', now, session.roomId)
    this.#updateMeetingClock(session.roomId)
    this.#announce('sessionJoined', session, now)
  }

  send(roomId: string, message: object): void {
    const sessions = this.#roster.listRoomSessions(roomId)
    if (sessions.length === 0) return
    const frame = toFrame(message)
    this.#options.store.afterCommit(() =>
      this.#broadcasts.enqueue(roomId, sessions, ({ peer }) => peer.send(frame)),
    )
  }

  meetingMs(roomId: string): number | undefined {
    return this.#meetings.readMs(roomId)
  }

  get openSessions(): number {
    return this.#roster.listAll().length
  }

  async close(): Promise<void> {
    this.#stopTicking()
    this.#views.close()
    const rooms = groupByRoom(this.#roster.listAll())
    try {
      await this.#options.store.write(() => this.#end(rooms, closeReasons.stopping))
    } catch (error) {
      // The next start of the service records the ends of these sessions.
      this.#options.onFailure(error)
      this.#closePeers(rooms, closeReasons.stopping)
    }
    await this.#broadcasts.drain()
  }

  #updateMeetingClock(roomId: string): void {
    this.#meetings.set(roomId, this.#roster.countParticipants(roomId).membersCount)
  }

  async #terminate(roomId: string): Promise<void> {
    const { store, clock } = this.#options
    await store.write(() => {
      this.end(roomId, closeReasons.terminated)
      const now = clock.now()
      const sql = 'UPDATE rooms SET terminated_at = coalesce(terminated_at, ?), updated_at = ? WHERE id = ?'
      store.run(sql, now, now, roomId)
    })
  }

  async #tick(): Promise<void> {
    const { store, clock, onEndsListed } = this.#options
    this.#views.tick()
    const unrecordedEnds = [...this.#unrecordedEnds]
    const stored = store.write(() => {
      storeAliveTime(store, clock.now())
      for (const reason of ['left', 'lost'] as const) {
        const sessions = unrecordedEnds.filter(
          ([session, why]) => why === reason && this.#roster.has(session),
        )
        this.#end(groupByRoom(sessions.map(([session]) => session)), reason)
      }
    })
    // Concurrent writes share a commit.
    await Promise.all([stored, this.#meetings.save()])
    for (const [session] of unrecordedEnds) this.#unrecordedEnds.delete(session)
    // An earlier attempt to record the deferred ends may have failed.
    if (hasListedEnds(store)) onEndsListed()
  }

  #announce(action: 'sessionJoined' | 'sessionLeft', session: ConnectedSession, at: number): void {
    const { store, newId, onEvent } = this.#options
    const { id: sessionId, roomId, memberId, userId } = session
    const target = findWebhook(store, roomId)
    if (target === undefined) return
    const move = { action, sessionId, memberId, userId, at, ...this.#roster.countParticipants(roomId) }
    enqueueOrPack(store, newId, roomId, target, [move])
    store.afterCommit(() => onEvent(roomId))
  }
}
