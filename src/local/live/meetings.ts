import type { Store } from '../store/store.ts'
import { afterLong, type Clock } from './clock.ts'

interface MeetingsOptions {
  store: Store
  clock: Clock
  /** Told when the meeting time of a room is used up. */
  onTimeUp(roomId: string): void
}

interface Meeting {
  /** Monotonic time up to which the meeting time is stored. */
  since: number
  cancel: () => void
}

/** The meeting clock of each room: it runs while two or more participants are connected (section 2.7). */
export class Meetings {
  readonly #options: MeetingsOptions
  readonly #running = new Map<string, Meeting>()

  constructor(options: MeetingsOptions) {
    this.#options = options
  }

  /** Inside `store.write`: starts or stops the clock of a room. */
  set(roomId: string, meets: boolean): void {
    const meeting = this.#running.get(roomId)
    if (meets && !meeting) this.#start(roomId)
    else if (!meets && meeting) {
      this.#save(roomId, meeting)
      meeting.cancel()
      this.#running.delete(roomId)
    }
  }

  /** Inside `store.write`: stores how far each meeting is, for after a crash. */
  save(): void {
    for (const [roomId, meeting] of this.#running) this.#save(roomId, meeting)
  }

  /** The part of a room’s meeting time that is not stored yet, in milliseconds. */
  runningMs(roomId: string): number {
    const meeting = this.#running.get(roomId)
    return meeting ? this.#options.clock.monotonic() - meeting.since : 0
  }

  #start(roomId: string): void {
    const { store, clock, onTimeUp } = this.#options
    const room = store.one<{ max_meeting_seconds: number | null; meeting_ms: number }>(
      'SELECT max_meeting_seconds, meeting_ms FROM rooms WHERE id = ?',
      roomId,
    )
    const max = room?.max_meeting_seconds
    const cancel = max ? afterLong(clock, max * 1000 - room.meeting_ms, () => onTimeUp(roomId)) : () => {}
    this.#running.set(roomId, { since: clock.monotonic(), cancel })
  }

  #save(roomId: string, meeting: Meeting): void {
    const now = this.#options.clock.monotonic()
    this.#options.store.run(
      'UPDATE rooms SET meeting_ms = meeting_ms + ? WHERE id = ?',
      Math.round(now - meeting.since),
      roomId,
    )
    meeting.since = now
  }
}
