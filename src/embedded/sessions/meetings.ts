import { type Clock, startLongTimer } from '../common/clock.ts'
import { requireRoom } from '../records/records.ts'
import type { Store } from '../store/store.ts'

interface MeetingsOptions {
  store: Store
  clock: Clock
  onTimeUp(roomId: string): void
}

interface Meeting {
  /** Stored meeting time of the room, in milliseconds. */
  stored: number
  /** Monotonic time up to which the meeting time is stored. */
  since: number
  /** Monotonic time at which the meeting time is used up. */
  endsAt: number
  /** True while a commit that stops the clock is pending. */
  stopping: boolean
  cancel: () => void
}

/** Meetings stored per step: a few milliseconds of work. */
const stepMeetings = 500

/** Delay before another attempt to end a meeting, in milliseconds. */
const retryMs = 1000

/** Meeting clock of each room with two or more connected participants (API specification, section 2.7). */
export class Meetings {
  readonly #options: MeetingsOptions
  readonly #running = new Map<string, Meeting>()

  constructor(options: MeetingsOptions) {
    this.#options = options
  }

  /** Starts or stops the clock of a room. Call inside `store.write`. */
  set(roomId: string, isMeeting: boolean): void {
    const meeting = this.#running.get(roomId)
    const isRunning = meeting !== undefined && !meeting.stopping
    if (isMeeting && !isRunning) this.#start(roomId)
    else if (!isMeeting && isRunning) this.#stop(roomId, meeting)
  }

  /** Stores the elapsed time of each meeting for crash recovery, in steps. */
  async save(): Promise<void> {
    const { store } = this.#options
    let remaining = [...this.#running]
    while (remaining.length > 0) {
      const step = remaining.slice(0, stepMeetings)
      await store.write(() => {
        for (const [roomId, meeting] of step) this.#save(roomId, meeting)
      })
      // Some may have ended meanwhile.
      remaining = remaining
        .slice(stepMeetings)
        .filter(([roomId, meeting]) => this.#running.get(roomId) === meeting)
    }
  }

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
    // Until the commit, reads return the value that the commit will store.
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

  /** Sets the timer that ends a meeting on time, at least `atLeast` milliseconds from now. */
  #arm(roomId: string, meeting: Meeting, atLeast = 0): void {
    const { clock, onTimeUp } = this.#options
    if (meeting.endsAt === Infinity) return
    const remaining = Math.max(meeting.endsAt - clock.monotonic(), atLeast)
    meeting.cancel = startLongTimer(clock, remaining, () => {
      // Ending the meeting cancels this retry.
      this.#arm(roomId, meeting, retryMs)
      onTimeUp(roomId)
    })
  }
}
