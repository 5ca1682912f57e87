import { type Clock, startLongTimer } from '../common/clock.ts'
import { requireRoom } from '../records/records.ts'
import { maxTotal } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

interface MeetingsOptions {
  store: Store
  clock: Clock
  onTimeUp(roomId: string): void
}

interface Meeting {
  storedMs: number
  /** Monotonic time up to which the meeting time is stored, in milliseconds. */
  storedAt: number
  /** Monotonic time at which the meeting reaches its limit, in milliseconds; Infinity without a limit. */
  endsAt: number
  /** True while a commit that stops the clock is pending. */
  stopping: boolean
  cancel: () => void
}

/** Maximum number of meetings stored per step, which takes a few milliseconds. */
const stepMeetings = 500

/** Minimum delay before the next attempt to end a meeting, in milliseconds. */
const retryMs = 1000

const toleranceMs = 0.001

/**
 * Meeting clocks of rooms with two or more connected participants (API specification, “Create Room request
 * body”).
 */
export class MeetingClocks {
  readonly #options: MeetingsOptions
  readonly #running = new Map<string, Meeting>()
  /**
   * Meeting time of each room when the current meeting started, in milliseconds. Kept until no participant
   * remains.
   */
  readonly #startMs = new Map<string, number>()

  constructor(options: MeetingsOptions) {
    this.#options = options
  }

  /**
   * Starts or stops the clock of a room. Call inside `store.write`.
   * @param participants number of connected members, without monitors
   */
  set(roomId: string, participants: number): void {
    const isMeeting = participants >= 2
    const meeting = this.#running.get(roomId)
    const isRunning = meeting !== undefined && !meeting.stopping
    if (isMeeting && !isRunning) this.#start(roomId)
    else if (!isMeeting && isRunning) this.#stop(roomId, meeting)
    if (participants === 0) this.#setStart(roomId, undefined)
  }

  /** Returns the time of the current meeting, given the meeting time of the room, in milliseconds. */
  readCurrentMs(roomId: string, meetingMs: number): number {
    return Math.max(0, meetingMs - (this.#startMs.get(roomId) ?? meetingMs))
  }

  #setStart(roomId: string, ms: number | undefined): void {
    const previous = this.#startMs.get(roomId)
    const set = (value: number | undefined) => {
      if (value === undefined) this.#startMs.delete(roomId)
      else this.#startMs.set(roomId, value)
    }
    set(ms)
    this.#options.store.onRollback(() => set(previous))
  }

  /** Stores the meeting time of running clocks for crash recovery, in steps. */
  async save(): Promise<void> {
    const { store } = this.#options
    let remaining = [...this.#running]
    while (remaining.length > 0) {
      const step = remaining.slice(0, stepMeetings)
      await store.write(() => {
        for (const [roomId, meeting] of step) this.#save(roomId, meeting)
      })
      // Some clocks may have stopped meanwhile.
      remaining = remaining
        .slice(stepMeetings)
        .filter(([roomId, meeting]) => this.#running.get(roomId) === meeting)
    }
  }

  readMs(roomId: string): number | undefined {
    const meeting = this.#running.get(roomId)
    if (!meeting) return undefined
    const elapsed = meeting.stopping ? 0 : this.#options.clock.monotonic() - meeting.storedAt
    return Math.min(meeting.storedMs + elapsed, maxTotal)
  }

  #start(roomId: string): void {
    const { store, clock } = this.#options
    const {
      max_meeting_seconds: max,
      meeting_ms: storedMs,
      meeting_from_ms: from,
    } = requireRoom(store, roomId)
    if (!this.#startMs.has(roomId)) this.#setStart(roomId, storedMs)
    const storedAt = clock.monotonic()
    const endsAt = max === null ? Infinity : storedAt + max * 1000 - (storedMs - from)
    const meeting = { storedMs, storedAt, endsAt, stopping: false, cancel: () => {} }
    const previous = this.#running.get(roomId)
    this.#running.set(roomId, meeting)
    this.#startTimer(roomId, meeting)
    store.onRollback(() => {
      meeting.cancel()
      if (previous) this.#running.set(roomId, previous)
      else this.#running.delete(roomId)
    })
  }

  #stop(roomId: string, meeting: Meeting): void {
    const { store } = this.#options
    store.onRollback(() => {
      meeting.stopping = false
      this.#startTimer(roomId, meeting, retryMs)
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
    const { storedMs, storedAt } = meeting
    const elapsed = Math.round(clock.monotonic() - storedAt)
    meeting.storedMs = Math.min(storedMs + elapsed, maxTotal)
    // Keeps the fraction, so that rounding errors do not accumulate.
    meeting.storedAt = storedAt + elapsed
    store.onRollback(() => Object.assign(meeting, { storedMs, storedAt }))
    store.run('UPDATE rooms SET meeting_ms = ? WHERE id = ?', meeting.storedMs, roomId)
  }

  #startTimer(roomId: string, meeting: Meeting, minDelayMs = 0): void {
    const { clock, onTimeUp } = this.#options
    if (meeting.endsAt === Infinity) return
    // Without the tolerance, a rounding error of the sum could add a millisecond.
    const readRemaining = () => Math.ceil(meeting.endsAt - clock.monotonic() - toleranceMs)
    meeting.cancel = startLongTimer(clock, Math.max(readRemaining(), minDelayMs), () => {
      // Timers may fire up to a millisecond early.
      if (readRemaining() > 0) return this.#startTimer(roomId, meeting)
      // Retries in case `onTimeUp` fails. Stopping the clock cancels the retry.
      this.#startTimer(roomId, meeting, retryMs)
      onTimeUp(roomId)
    })
  }
}
