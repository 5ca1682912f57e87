import type { MemberType } from '../../api/vocabulary.ts'
import type { Store } from '../store/store.ts'
import { timestamp } from '../values.ts'
import { afterLong, type Clock, every } from './clock.ts'
import { type Ending, endings, type Live, type LiveSession } from './live.ts'
import { enqueue } from './outbox.ts'

interface LiveRoom {
  sessions: Set<LiveSession>
  /** While two or more participants are connected: what of the meeting is not stored yet, and its end. */
  meeting: { since: number; cancel: () => void } | undefined
}

const tickMs = 5000

/** A monitor watches the meeting and does not take part (section 2.2). */
function takesPart(session: LiveSession): boolean {
  return session.type !== 'monitor'
}

interface HubOptions {
  store: Store
  clock: Clock
  newId(): string
  /** Told of a failure to store something that no request waits for. */
  onFailure(error: unknown): void
  /** Told of each event in the outbox, once it is on disk. */
  onEvent(roomId: string): void
}

/**
 * Who is connected, and the meeting clock. What is here and what the store says change together: the methods marked
 * so are called inside `store.write`, and hand back what is to be done once the write is on disk.
 */
export class Hub implements Live {
  readonly #options: HubOptions
  readonly #rooms = new Map<string, LiveRoom>()
  readonly #stopTicking: () => void

  constructor(options: HubOptions) {
    this.#options = options
    this.#stopTicking = every(options.clock, tickMs, () => void this.#tick().catch(options.onFailure))
  }

  /**
   * Closes the sessions that a crash left open, each at the last moment at which the service is known to have run.
   * To be called before anybody joins.
   */
  async recover(): Promise<void> {
    const { store } = this.#options
    const rooms = await store.write(() => {
      const alive = store.one<{ alive_at: number }>('SELECT alive_at FROM workspace')?.alive_at ?? 0
      const left = store.all<{
        id: string
        room_id: string
        member_id: string
        user_id: string | null
        connected_at: number
        type: MemberType
      }>('SELECT * FROM sessions WHERE disconnected_at IS NULL ORDER BY seq')
      for (const [i, row] of left.entries()) {
        const others = left
          .slice(i + 1)
          .filter((other) => other.room_id === row.room_id && other.type !== 'monitor')
        const at = Math.max(row.connected_at, alive)
        store.run('UPDATE sessions SET disconnected_at = ? WHERE id = ?', at, row.id)
        if (row.user_id === null) store.run('DELETE FROM members WHERE id = ?', row.member_id)
        const session = { roomId: row.room_id, memberId: row.member_id, userId: row.user_id, id: row.id }
        if (row.type !== 'monitor')
          this.#announce(
            'sessionLeft',
            session,
            at,
            others.length,
            new Set(others.map((other) => other.member_id)).size,
          )
      }
      return new Set(left.map(({ room_id }) => room_id))
    })
    for (const room of rooms) this.#options.onEvent(room)
  }

  /** Inside `store.write`: records a session that begins. */
  join(session: LiveSession): () => void {
    const { store, clock } = this.#options
    const now = clock.now()
    const { id, roomId, memberId, userId, type } = session
    this.#noteAlive(now)
    store.run(
      'INSERT INTO sessions (id, room_id, member_id, user_id, type, connected_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      roomId,
      memberId,
      userId,
      type,
      now,
    )
    const room = this.#room(roomId)
    room.sessions.add(session)
    if (!takesPart(session)) return () => {}
    store.run('UPDATE rooms SET started_at = coalesce(started_at, ?) WHERE id = ?', now, roomId)
    this.#settle(roomId)
    this.#announceLive('sessionJoined', session, now)
    return () => this.#options.onEvent(roomId)
  }

  /** A connection is gone: records that its session has ended, unless it has been ended already. */
  async leave(session: LiveSession): Promise<void> {
    if (!this.#rooms.get(session.roomId)?.sessions.has(session)) return
    const done = await this.#options.store.write(() => this.#end([session]))
    done()
  }

  /** Inside `store.write`: ends the sessions of a room, or those of them that are meant. */
  end(roomId: string, ending: Ending, meant: (session: LiveSession) => boolean = () => true): () => void {
    const sessions = [...(this.#rooms.get(roomId)?.sessions ?? [])].filter(meant)
    const done = this.#end(sessions)
    return () => {
      for (const session of sessions) session.close(ending)
      done()
    }
  }

  /** Inside `store.write`: ends the sessions of a user, in all rooms. */
  endUser(userId: string, ending: Ending): () => void {
    const done = [...this.#rooms.keys()].map((roomId) =>
      this.end(roomId, ending, (session) => session.userId === userId),
    )
    return () => {
      for (const each of done) each()
    }
  }

  #end(sessions: readonly LiveSession[]): () => void {
    const { store, clock } = this.#options
    const now = clock.now()
    if (sessions.length > 0) this.#noteAlive(now)
    for (const session of sessions) {
      this.#room(session.roomId).sessions.delete(session)
      store.run('UPDATE sessions SET disconnected_at = max(connected_at, ?) WHERE id = ?', now, session.id)
      // An anonymous participant is a member for as long as it is connected.
      if (session.userId === null) store.run('DELETE FROM members WHERE id = ?', session.memberId)
      this.#settle(session.roomId)
      if (takesPart(session)) this.#announceLive('sessionLeft', session, now)
    }
    const rooms = new Set(sessions.map(({ roomId }) => roomId))
    for (const roomId of rooms) if (this.#rooms.get(roomId)?.sessions.size === 0) this.#rooms.delete(roomId)
    return () => {
      for (const roomId of rooms) this.#options.onEvent(roomId)
    }
  }

  /** Sends a frame to every live session of a room and no other (rule 4). */
  broadcast(roomId: string, frame: object): void {
    for (const session of this.#rooms.get(roomId)?.sessions ?? []) session.send(frame)
  }

  /** What of a room’s meeting time is not stored yet, in milliseconds. */
  runningMs(roomId: string): number {
    const meeting = this.#rooms.get(roomId)?.meeting
    return meeting ? this.#options.clock.monotonic() - meeting.since : 0
  }

  /** Ends every session: the service stops. */
  async close(): Promise<void> {
    this.#stopTicking()
    const done = await this.#options.store.write(() =>
      [...this.#rooms.keys()].map((roomId) => this.end(roomId, endings.stopping)),
    )
    for (const each of done) each()
  }

  #room(roomId: string): LiveRoom {
    let room = this.#rooms.get(roomId)
    if (!room) {
      room = { sessions: new Set(), meeting: undefined }
      this.#rooms.set(roomId, room)
    }
    return room
  }

  /** Starts or stops the meeting clock, as two or more participants are connected or not (section 2.7). */
  #settle(roomId: string): void {
    const room = this.#room(roomId)
    const meets = membersOf(room) >= 2
    if (meets && !room.meeting) this.#startMeeting(roomId, room)
    else if (!meets && room.meeting) {
      this.#storeMeeting(roomId, room.meeting)
      room.meeting.cancel()
      room.meeting = undefined
    }
  }

  #startMeeting(roomId: string, room: LiveRoom): void {
    const { store, clock } = this.#options
    const stored = store.one<{ max_meeting_seconds: number | null; meeting_ms: number }>(
      'SELECT max_meeting_seconds, meeting_ms FROM rooms WHERE id = ?',
      roomId,
    )
    const max = stored?.max_meeting_seconds
    const left = max ? max * 1000 - (stored?.meeting_ms ?? 0) : undefined
    const cancel =
      left === undefined
        ? () => {}
        : afterLong(clock, left, () => void this.#timeIsUp(roomId).catch(this.#options.onFailure))
    room.meeting = { since: clock.monotonic(), cancel }
  }

  #storeMeeting(roomId: string, meeting: { since: number }): void {
    const now = this.#options.clock.monotonic()
    this.#options.store.run(
      'UPDATE rooms SET meeting_ms = meeting_ms + ? WHERE id = ?',
      Math.round(now - meeting.since),
      roomId,
    )
    meeting.since = now
  }

  async #timeIsUp(roomId: string): Promise<void> {
    const { store, clock } = this.#options
    const done = await store.write(() => {
      const ended = this.end(roomId, endings.terminated)
      const now = clock.now()
      store.run(
        'UPDATE rooms SET terminated_at = coalesce(terminated_at, ?), updated_at = ? WHERE id = ?',
        now,
        now,
        roomId,
      )
      return ended
    })
    done()
  }

  /** The moment at which sessions end that a crash leaves open. */
  #noteAlive(now: number): void {
    this.#options.store.run('UPDATE workspace SET alive_at = ?', now)
  }

  /** Notes that the service is alive, and how far its meetings are: what a crash would fall back on. */
  async #tick(): Promise<void> {
    const { store, clock } = this.#options
    await store.write(() => {
      this.#noteAlive(clock.now())
      for (const [roomId, { meeting }] of this.#rooms) if (meeting) this.#storeMeeting(roomId, meeting)
    })
  }

  #announceLive(action: 'sessionJoined' | 'sessionLeft', session: LiveSession, at: number): void {
    const room = this.#room(session.roomId)
    this.#announce(action, session, at, [...room.sessions].filter(takesPart).length, membersOf(room))
  }

  #announce(
    action: 'sessionJoined' | 'sessionLeft',
    { id, roomId, memberId, userId }: Pick<LiveSession, 'id' | 'roomId' | 'memberId' | 'userId'>,
    at: number,
    sessionsCount: number,
    membersCount: number,
  ): void {
    const { store, newId } = this.#options
    const payload = {
      roomId,
      ...(userId === null ? {} : { userId }),
      memberId,
      sessionId: id,
      sessionsCount,
      membersCount,
      timestamp: timestamp(at),
    }
    enqueue(store, `msg_${newId()}`, at, { action, payload })
  }
}

/** How many participants are connected: somebody with two connections is one. */
function membersOf(room: LiveRoom): number {
  return new Set([...room.sessions].filter(takesPart).map(({ memberId }) => memberId)).size
}
