import type { MemberType } from '../../api/vocabulary.ts'
import type { Pace } from '../pace.ts'
import type { Store } from '../store/store.ts'
import { type Clock, every } from './clock.ts'
import { depart } from './departures.ts'
import { toFrame } from './frame.ts'
import { type Ending, endings, type Live, type LiveSession } from './live.ts'
import { Meetings } from './meetings.ts'
import { announce } from './outbox.ts'
import { closeAbandonedSessions, noteAlive } from './recovery.ts'
import { Roster, takesPart } from './roster.ts'
import { Rounds } from './rounds.ts'

const tickMs = 5000

interface HubOptions {
  store: Store
  clock: Clock
  pace: Pace
  newId(): string
  /** Told when something could not be stored that no request waits for. */
  onFailure(error: unknown): void
  /** Told that a room has an event in the outbox, once it is on disk. */
  onEvent(roomId: string): void
}

/**
 * Who is connected. Memory and store change together: methods marked so are called inside `store.write`, and what they
 * change in memory is taken back if the write fails.
 */
export class Hub implements Live {
  readonly #options: HubOptions
  readonly #roster = new Roster<LiveSession>()
  readonly #rounds: Rounds
  /** Sessions whose connection is gone and whose end could not be stored. */
  readonly #gone = new Set<LiveSession>()
  readonly #meetings: Meetings
  readonly #stopTicking: () => void

  constructor(options: HubOptions) {
    const { store, clock, pace, onFailure } = options
    this.#options = options
    this.#rounds = new Rounds(pace)
    this.#meetings = new Meetings({
      store,
      clock,
      onTimeUp: (roomId) => void this.#terminate(roomId).catch(onFailure),
    })
    this.#stopTicking = every(clock, tickMs, () => void this.#tick().catch(onFailure))
  }

  /** Closes the sessions that a crash left open. Called before anybody joins. */
  async recover(): Promise<void> {
    const { store, newId, onEvent } = this.#options
    for (const roomId of await store.write(() => closeAbandonedSessions(store, newId))) onEvent(roomId)
  }

  /** Inside `store.write`: records a session that begins. */
  join(session: LiveSession): void {
    const { store, clock } = this.#options
    const now = clock.now()
    const { id, roomId, memberId, userId, type } = session
    noteAlive(store, now)
    store.run(
      'INSERT INTO sessions (id, room_id, member_id, user_id, type, connected_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      roomId,
      memberId,
      userId,
      type,
      now,
    )
    this.#roster.add(session)
    store.onRollback(() => this.#roster.remove(session))
    if (takesPart(session)) this.#enter(session, now)
  }

  /** Records that a session has ended because its connection is gone, unless it has ended already. */
  async leave(session: LiveSession): Promise<void> {
    if (!this.#roster.has(session)) return
    try {
      await this.#options.store.write(() => this.#end([session]))
    } catch (error) {
      this.#gone.add(session)
      throw error
    }
  }

  /** Inside `store.write`: ends the sessions of a room, or those that are meant. */
  end(roomId: string, ending: Ending, meant: (session: LiveSession) => boolean = () => true): void {
    this.#end(this.#roster.in(roomId).filter(meant), ending)
  }

  /** Inside `store.write`: ends the sessions of a user, in all rooms. */
  endUser(userId: string, ending: Ending): void {
    this.#end(this.#roster.of(userId), ending)
  }

  #end(sessions: readonly LiveSession[], ending?: Ending): void {
    if (sessions.length === 0) return
    const { store, clock, newId, onEvent } = this.#options
    const roster = this.#roster
    const now = clock.now()
    noteAlive(store, now)
    store.onRollback(() => {
      for (const session of sessions) roster.add(session)
    })
    depart({ store, newId, roster }, sessions, () => now)
    const rooms = new Set(sessions.map(({ roomId }) => roomId))
    for (const roomId of rooms) this.#settle(roomId)
    store.afterCommit(() => {
      for (const roomId of rooms) onEvent(roomId)
      if (ending) this.#hangUp(sessions, ending)
    })
  }

  #hangUp(sessions: readonly LiveSession[], ending: Ending): void {
    for (const [roomId, some] of byRoom(sessions))
      this.#rounds.go(roomId, some, (session) => session.close(ending))
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
    this.#options.store.afterCommit(() => this.#rounds.go(roomId, sessions, (session) => session.send(frame)))
  }

  /** Meeting time of a room whose meeting is running, in milliseconds. */
  meetingMs(roomId: string): number | undefined {
    return this.#meetings.ms(roomId)
  }

  /** Ends every session, because the service stops. */
  async close(): Promise<void> {
    this.#stopTicking()
    const sessions = this.#roster.all()
    try {
      await this.#options.store.write(() => this.#end(sessions, endings.stopping))
    } catch (error) {
      // The next start records when they ended.
      this.#options.onFailure(error)
      this.#hangUp(sessions, endings.stopping)
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
    const { store, clock } = this.#options
    const gone = [...this.#gone]
    const noted = store.write(() => {
      noteAlive(store, clock.now())
      this.#end(gone.filter((session) => this.#roster.has(session)))
    })
    // Begun together, they share a commit.
    await Promise.all([noted, this.#meetings.save()])
    for (const session of gone) this.#gone.delete(session)
  }

  #announce(action: 'sessionJoined' | 'sessionLeft', session: LiveSession, at: number): void {
    const { store, newId, onEvent } = this.#options
    store.afterCommit(() => onEvent(session.roomId))
    const { roomId } = session
    announce(store, newId, roomId, [{ action, session, at, ...this.#roster.counts(roomId) }])
  }
}

function byRoom(sessions: readonly LiveSession[]): Map<string, LiveSession[]> {
  const rooms = new Map<string, LiveSession[]>()
  for (const session of sessions) {
    const others = rooms.get(session.roomId)
    if (others) others.push(session)
    else rooms.set(session.roomId, [session])
  }
  return rooms
}
