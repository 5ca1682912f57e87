import { afterLong, type Clock } from '../common/clock.ts'
import { requireRoom } from '../records/records.ts'
import type { Store } from '../store/store.ts'

interface MeetingsOptions {
  store: Store
  clock: Clock
  /** Told when the meeting time of a room is used up. */
  onTimeUp(roomId: string): void
}

interface Meeting {
  /** What is stored of the room’s meeting time, in milliseconds. */
  stored: number
  /** Monotonic time up to which it is stored. */
  since: number
  /** Monotonic time at which the meeting time is used up. */
  endsAt: number
  /** Whether the clock stops with the commit that is under way. */
  stopping: boolean
  cancel: () => void
}

/** How many meetings are stored in one go: a few milliseconds’ work. */
const stepMeetings = 500

/** Pause before a meeting is ended that could not be ended in time, in milliseconds. */
const retryMs = 1000

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
    const runs = meeting !== undefined && !meeting.stopping
    if (meets && !runs) this.#start(roomId)
    else if (!meets && runs) this.#stop(roomId, meeting)
  }

  /** Stores how far each meeting is, for after a crash: some at a time, so that many meetings hold up nobody. */
  async save(): Promise<void> {
    const { store } = this.#options
    let left = [...this.#running]
    while (left.length > 0) {
      const some = left.slice(0, stepMeetings)
      await store.write(() => {
        for (const [roomId, meeting] of some) this.#save(roomId, meeting)
      })
      // Others may have ended meanwhile.
      left = left.slice(stepMeetings).filter(([roomId, meeting]) => this.#running.get(roomId) === meeting)
    }
  }

  /** Meeting time of a room whose clock is running, in milliseconds. */
  ms(roomId: string): number | undefined {
    const meeting = this.#running.get(roomId)
    if (!meeting) return undefined
    return meeting.stored + (meeting.stopping ? 0 : this.#options.clock.monotonic() - meeting.since)
  }

  #start(roomId: string): void {
    const { store, clock } = this.#options
    const { max_meeting_seconds: max, meeting_ms: stored, meeting_from_ms: from } = requireRoom(store, roomId)
    const since = clock.monotonic()
    const endsAt = max === null ? Infinity : since + max * 1000 - (stored - from)
    const meeting = { stored, since, endsAt, stopping: false, cancel: () => {} }
    const before = this.#running.get(roomId)
    this.#running.set(roomId, meeting)
    this.#arm(roomId, meeting)
    store.onRollback(() => {
      meeting.cancel()
      if (before) this.#running.set(roomId, before)
      else this.#running.delete(roomId)
    })
  }

  #stop(roomId: string, meeting: Meeting): void {
    const { store } = this.#options
    store.onRollback(() => {
      meeting.stopping = false
      this.#arm(roomId, meeting, retryMs)
    })
    this.#save(roomId, meeting)
    meeting.cancel()
    // Until the commit, whoever asks is told what the store will say after it.
    meeting.stopping = true
    store.afterCommit(() => {
      if (this.#running.get(roomId) === meeting) this.#running.delete(roomId)
    })
  }

  #save(roomId: string, meeting: Meeting): void {
    const { store, clock } = this.#options
    if (meeting.stopping) return
    const { stored, since } = meeting
    const now = clock.monotonic()
    meeting.stored = stored + Math.round(now - since)
    meeting.since = now
    store.onRollback(() => Object.assign(meeting, { stored, since }))
    store.run('UPDATE rooms SET meeting_ms = ? WHERE id = ?', meeting.stored, roomId)
  }

  /** Sets the timer that ends a meeting in time, or as soon as possible but not before `atLeast` milliseconds. */
  #arm(roomId: string, meeting: Meeting, atLeast = 0): void {
    const { clock, onTimeUp } = this.#options
    if (meeting.endsAt === Infinity) return
    const left = Math.max(meeting.endsAt - clock.monotonic(), atLeast)
    meeting.cancel = afterLong(clock, left, () => {
      // Ending the meeting cancels this; if it cannot be stored, there is another attempt.
      this.#arm(roomId, meeting, retryMs)
      onTimeUp(roomId)
    })
  }
}
