import type { Settings } from '../../config/settings.ts'

/** Local date and time without an offset. Months count from 1. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour?: number
  minute?: number
  second?: number
  ms?: number
}

const dayMs = 86_400_000
const hourMs = 3_600_000

/** Earliest time of an offset lookup, in milliseconds since 1970. */
const earliestMs = Date.UTC(1800)

/** Time zone. Instants are milliseconds since 1970, and day 0 is 1970-01-01. */
export class TimeZone {
  readonly #name: string | undefined
  readonly #readOffset: (ms: number) => number
  readonly #starts = new Map<number, number>()

  /**
   * @param name IANA name; the zone of this machine by default
   * @throws {RangeError} for an unknown name
   */
  constructor(name?: string) {
    this.#name = name
    this.#readOffset = createOffsetReader(name)
  }

  get name(): string {
    return this.#name ?? readMachineZone()
  }

  startOfDay(day: number): number {
    const known = this.#starts.get(day)
    if (known !== undefined) return known
    const start = this.#firstInstant(day * dayMs)
    this.#starts.set(day, start)
    return start
  }

  dayOf(ms: number): number {
    let day = Math.floor((ms + this.#offset(ms)) / dayMs)
    while (ms < this.startOfDay(day)) day--
    while (ms >= this.startOfDay(day + 1)) day++
    return day
  }

  hourOf(ms: number): number {
    return new Date(ms + this.#offset(ms)).getUTCHours()
  }

  endOfHour(ms: number): number {
    return ms + hourMs - ((((ms + this.#offset(ms)) % hourMs) + hourMs) % hourMs)
  }

  /** Returns the first instant with a wall time; for a skipped time, an instant after the clock change. */
  instantOf(time: WallTime): number {
    const wall = readWall(time)
    const [before, after] = this.#candidates(wall)
    return this.#isAt(before, wall) || !this.#isAt(after, wall) ? before : after
  }

  formatDay(ms: number): string {
    return this.#formatWall(ms).slice(0, 10)
  }

  formatClock(ms: number): string {
    return this.#formatWall(ms).slice(11, 16)
  }

  formatSeconds(ms: number): string {
    return this.#formatWall(ms).slice(11, 19)
  }

  /** Formats an instant with its offset, as in `2026-01-31T08:00:00+01:00`. */
  formatInstant(ms: number): string {
    const offset = this.#offset(ms)
    if (offset === 0) return `${this.#formatWall(ms)}Z`
    const minutes = Math.round(Math.abs(offset) / 60_000)
    return `${this.#formatWall(ms)}${offset < 0 ? '-' : '+'}${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`
  }

  /** Returns a formatter that omits the date if the span is within one day. */
  createFormat([start, end]: readonly [start: number, end: number]): (ms: number) => string {
    const isLimited = Number.isFinite(start) && Number.isFinite(end)
    // The end is exclusive, so a span within one day can end at midnight.
    const isOneDay = isLimited && this.dayOf(start) === this.dayOf(Math.max(start, end - 1))
    return (ms) => (isOneDay ? this.formatClock(ms) : `${this.formatDay(ms)} ${this.formatClock(ms)}`)
  }

  #formatWall(ms: number): string {
    return new Date(ms + this.#offset(ms)).toISOString().replace(/(\.000)?Z$/, '')
  }

  #offset(ms: number): number {
    return this.#readOffset(Math.max(ms, earliestMs))
  }

  #candidates(wall: number): readonly [before: number, after: number] {
    return [wall - this.#offset(wall - dayMs), wall - this.#offset(wall + dayMs)]
  }

  #isAt(ms: number, wall: number): boolean {
    return ms + this.#offset(ms) === wall
  }

  /** Returns the first instant at or after a wall time, even a skipped time. */
  #firstInstant(wall: number): number {
    const [before, after] = this.#candidates(wall)
    if (this.#isAt(before, wall)) return before
    if (this.#isAt(after, wall)) return after
    let [early, late] = [after, before]
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2)
      if (middle + this.#offset(middle) < wall) early = middle
      else late = middle
    }
    return late
  }
}

/** Returns the day number of a calendar date; undefined for a nonexistent date. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  const ms = readWall({ year, month, day })
  return new Date(ms).getUTCMonth() === month - 1 && day > 0 ? ms / dayMs : undefined
}

export function formatDayNumber(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

export function readMachineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'local time'
}

function readWall({ year, month, day, hour = 0, minute = 0, second = 0, ms = 0 }: WallTime): number {
  // Date.UTC interprets the years 0 to 99 as 1900 to 1999.
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second, ms))
  return date.setUTCFullYear(year, month - 1, day)
}

function createOffsetReader(name: string | undefined): (ms: number) => number {
  if (name === undefined) return (ms) => -new Date(ms).getTimezoneOffset() * 60_000
  if (name === 'UTC') return () => 0
  const numeric = 'numeric'
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  })
  return (ms) => {
    const whole = Math.floor(ms / 1000) * 1000
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]),
    ) as Record<keyof WallTime, number>
    return readWall({ year, month, day, hour, minute, second }) - whole
  }
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0')
}

/** @throws {UsageError} for invalid settings */
export async function readTimeZone(context: {
  settings(): Promise<Pick<Settings, 'timeZone'>>
}): Promise<TimeZone> {
  return new TimeZone((await context.settings()).timeZone?.value)
}
