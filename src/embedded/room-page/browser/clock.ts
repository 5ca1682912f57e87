import { byId, setText } from './elements.ts'
import type { Meeting } from './frames.ts'

/** Remaining time below which a running clock looks urgent, in milliseconds. */
const soonMs = 60_000

const pausedNote = 'Runs while two or more guests or hosts are here'

export class MeetingClock {
  #meeting: Meeting | undefined
  #receivedAt = 0

  constructor() {
    setInterval(() => this.#show(), 1000)
  }

  set(meeting: Meeting): void {
    this.#meeting = meeting
    this.#receivedAt = performance.now()
    this.#show()
  }

  stop(): void {
    if (this.#meeting) this.set({ ...this.#current(this.#meeting), is_running: false })
  }

  hide(): void {
    this.#meeting = undefined
    byId('clock').hidden = true
  }

  #current(meeting: Meeting): Meeting {
    const passed = meeting.is_running ? performance.now() - this.#receivedAt : 0
    const { elapsed_ms, remaining_ms } = meeting
    return {
      ...meeting,
      elapsed_ms: elapsed_ms + passed,
      remaining_ms: remaining_ms === null ? null : Math.max(0, remaining_ms - passed),
    }
  }

  #show(): void {
    if (!this.#meeting) return
    const { is_running, elapsed_ms, remaining_ms } = this.#current(this.#meeting)
    const clock = byId('clock')
    clock.hidden = false
    clock.classList.toggle('paused', !is_running)
    clock.classList.toggle('soon', is_running && remaining_ms !== null && remaining_ms < soonMs)
    const elapsed = formatSeconds(Math.floor(elapsed_ms / 1000))
    const isLimited = remaining_ms !== null
    setText(byId('clock-label'), isLimited ? 'Time left' : 'Meeting time')
    // Rounding up prevents 0:00 while time remains.
    setText(byId('clock-time'), isLimited ? formatSeconds(Math.ceil(remaining_ms / 1000)) : elapsed)
    setText(byId('clock-note'), is_running ? (isLimited ? `Meeting time ${elapsed}` : '') : pausedNote)
  }
}

function formatSeconds(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours === 0
    ? `${minutes}:${two(seconds % 60)}`
    : `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`
}
