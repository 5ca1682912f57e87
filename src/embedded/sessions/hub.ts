import type { MemberType } from '../../api/vocabulary.ts'
import { type Clock, every } from '../common/clock.ts'
import { answeredTurnMs, type Pace } from '../common/pace.ts'
import { hasListedEnds } from '../store/ended.ts'
import type { Store } from '../store/store.ts'
import { announce, webhookOf } from '../webhooks/outbox.ts'
import { byRoom, recordDepartures } from './departures.ts'
import { toFrame } from './frame.ts'
import { type Ending, endings, type Live, type LiveSession, type Newcomer } from './live.ts'
import { Meetings } from './meetings.ts'
import { closeAbandonedSessions, noteAlive } from './recovery.ts'
import { Roster, takesPart } from './roster.ts'
import { TimedRounds } from './timed-rounds.ts'

const tickMs = 5000

/** A wall clock that is further from the monotonic clock than at the start of a session was set, in milliseconds. */
const mostDriftMs = 1000

interface HubOptions {
  store: Store
  clock: Clock
  pace: Pace
  newId(): string
  /** Told when something could not be stored that no request waits for. */
  onFailure(error: unknown): void
  /** Told that a room has an event in the outbox, once it is on disk. */
  onEvent(roomId: string): void
  /** Told that thousands of ends are listed, once that is on disk, and while they are: somebody has to settle them. */
  onListed(): void
  /** How many ends are recorded in one go. */
  few?: number
}

/** Sessions by their room. */
type Rooms = ReadonlyMap<string, readonly LiveSession[]>

/**
 * Who is connected. Memory and store change together: methods marked so are called inside `store.write`, and what they
 * change in memory is taken back if the write fails.
 */
export class Hub implements Live {
  readonly #options: HubOptions
  readonly #roster = new Roster<LiveSession>()
  readonly #rounds: TimedRounds
  /** Sessions whose connection is gone and whose end may not be stored. */
  readonly #gone = new Set<LiveSession>()
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

  /** Closes the sessions that a crash left open. Called before anybody joins. */
  async recover(): Promise<void> {
    const { store, onEvent } = this.#options
    for (const roomId of await store.write(() => closeAbandonedSessions(this.#options))) onEvent(roomId)
  }

  /** Inside `store.write`: records a session that begins. */
  join(newcomer: Newcomer): LiveSession {
    const { store, clock } = this.#options
    const now = clock.now()
    const { id, roomId, memberId, userId, type } = newcomer
    noteAlive(store, now)
    const seq = store.insert(
      'INSERT INTO sessions (id, room_id, member_id, user_id, type, connected_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      roomId,
      memberId,
      userId,
      type,
      now,
    )
    // In this order: with the new fields last, V8 gives each object a shape of its own.
    const session = { seq, connectedAt: now, ahead: now - clock.monotonic(), ...newcomer }
    this.#roster.add(session)
    store.onRollback(() => this.#roster.remove(session))
    if (takesPart(session)) this.#enter(session, now)
    return session
  }

  /** Records that a session has ended because its connection is gone, unless it has ended already. */
  async leave(session: LiveSession): Promise<void> {
    if (!this.#roster.has(session)) {
      // Its end may wait for a commit, which may fail.
      this.#gone.add(session)
      return
    }
    try {
      await this.#options.store.write(() => this.#end(byRoom([session])))
    } catch (error) {
      this.#gone.add(session)
      throw error
    }
  }

  /** Inside `store.write`: ends the sessions of a room, or those that are meant. */
  end(roomId: string, ending: Ending, meant: (session: LiveSession) => boolean = () => true): void {
    const sessions = this.#roster.in(roomId).filter(meant)
    if (sessions.length > 0) this.#end(new Map([[roomId, sessions]]), ending)
  }

  /** Inside `store.write`: ends the sessions of a user, in all rooms. */
  endUser(userId: string, ending: Ending): void {
    this.#end(byRoom(this.#roster.of(userId)), ending)
  }

  #end(rooms: Rooms, ending?: Ending): void {
    if (rooms.size === 0) return
    const { store, clock, onEvent } = this.#options
    const roster = this.#roster
    const now = clock.now()
    noteAlive(store, now)
    store.onRollback(() => {
      for (const sessions of rooms.values()) for (const session of sessions) roster.add(session)
    })
    const announced = recordDepartures({ ...this.#options, roster }, rooms, this.#endOf(now))
    for (const roomId of rooms.keys()) this.#settle(roomId)
    store.afterCommit(() => {
      for (const roomId of announced) onEvent(roomId)
      if (ending) this.#hangUp(rooms, ending)
    })
  }

  /** When a session that ends now has ended: its presence is measured with the monotonic clock, as the wall clock may be set. */
  #endOf(now: number): (session: LiveSession) => number {
    const ahead = now - this.#options.clock.monotonic()
    return (session) => {
      const byMs = Math.round(ahead - session.ahead)
      return Math.abs(byMs) < mostDriftMs ? now : now - byMs
    }
  }

  #hangUp(rooms: Rooms, ending: Ending): void {
    for (const [roomId, sessions] of rooms)
      this.#rounds.go(roomId, { sessions, act: ({ peer }) => peer.close(ending), turnMs: answeredTurnMs })
  }

  /**
   * Inside `store.write`: gives the sessions of a member another role. Whoever takes part from now on has entered the
   * meeting, and whoever only watches from now on has left it.
   */
  setType(roomId: string, memberId: string, type: MemberType): void {
    for (const session of this.#roster.in(roomId))
      if (session.memberId === memberId && session.type !== type) this.#setType(session, type)
  }

  #setType(session: LiveSession, type: MemberType): void {
    const { store, clock } = this.#options
    const before = session.type
    const tookPart = takesPart(session)
    this.#roster.setType(session, type)
    store.onRollback(() => this.#roster.setType(session, before))
    store.run('UPDATE sessions SET type = ? WHERE id = ?', type, session.id)
    if (takesPart(session) === tookPart) return
    if (tookPart) {
      this.#settle(session.roomId)
      this.#announce('sessionLeft', session, clock.now())
    } else this.#enter(session, clock.now())
  }

  /** Inside `store.write`: somebody takes part from now on. */
  #enter(session: LiveSession, now: number): void {
    const { store } = this.#options
    store.run('UPDATE rooms SET started_at = coalesce(started_at, ?) WHERE id = ?', now, session.roomId)
    this.#settle(session.roomId)
    this.#announce('sessionJoined', session, now)
  }

  /** Inside `store.write`: sends a message to every session that is live in a room now, and to no other (rule 4). */
  send(roomId: string, message: object): void {
    const sessions = this.#roster.in(roomId)
    if (sessions.length === 0) return
    const frame = toFrame(message)
    this.#options.store.afterCommit(() =>
      this.#rounds.go(roomId, { sessions, act: ({ peer }) => peer.send(frame) }),
    )
  }

  /** Meeting time of a room whose meeting is running, in milliseconds. */
  meetingMs(roomId: string): number | undefined {
    return this.#meetings.ms(roomId)
  }

  /** Ends every session, because the service stops. */
  async close(): Promise<void> {
    this.#stopTicking()
    const rooms = byRoom(this.#roster.all())
    try {
      await this.#options.store.write(() => this.#end(rooms, endings.stopping))
    } catch (error) {
      // The next start records when they ended.
      this.#options.onFailure(error)
      this.#hangUp(rooms, endings.stopping)
    }
    await this.#rounds.done()
  }

  /** Starts or stops the meeting clock, as two or more participants are connected or not. */
  #settle(roomId: string): void {
    this.#meetings.set(roomId, this.#roster.counts(roomId).membersCount >= 2)
  }

  /** The time of a meeting is up: terminates its room. */
  async #terminate(roomId: string): Promise<void> {
    const { store, clock } = this.#options
    await store.write(() => {
      this.end(roomId, endings.terminated)
      const now = clock.now()
      store.run(
        'UPDATE rooms SET terminated_at = coalesce(terminated_at, ?), updated_at = ? WHERE id = ?',
        now,
        now,
        roomId,
      )
    })
  }

  /** Stores what recovery needs after a crash, and what could not be stored before. */
  async #tick(): Promise<void> {
    const { store, clock, onListed } = this.#options
    const gone = [...this.#gone]
    const noted = store.write(() => {
      noteAlive(store, clock.now())
      this.#end(byRoom(gone.filter((session) => this.#roster.has(session))))
    })
    // Begun together, they share a commit.
    await Promise.all([noted, this.#meetings.save()])
    for (const session of gone) this.#gone.delete(session)
    // A step that settles them may have failed.
    if (hasListedEnds(store)) onListed()
  }

  #announce(action: 'sessionJoined' | 'sessionLeft', session: LiveSession, at: number): void {
    const { store, newId, onEvent } = this.#options
    const { id: sessionId, roomId, memberId, userId } = session
    const target = webhookOf(store, roomId)
    if (target === undefined) return
    const move = { action, sessionId, memberId, userId, at, ...this.#roster.counts(roomId) }
    announce(store, newId, roomId, target, [move])
    store.afterCommit(() => onEvent(roomId))
  }
}
