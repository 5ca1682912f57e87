import { addTo } from './meetings.ts'
import { type Interval, mergeIntervals } from './minutes.ts'

/** Largest number of people at one time. */
export interface Peak {
  people: number
  /** First time of the peak, in milliseconds since 1970; undefined if nobody was there. */
  at: number | undefined
}

/** Calculator of the peak across any number of rooms. */
export class PeakFinder {
  /** Intervals by the key of the person. */
  readonly #presence = new Map<string, Interval[]>()

  add(person: string, intervals: readonly Interval[]): void {
    for (const interval of intervals) addTo(this.#presence, person, interval)
  }

  /** Returns the peak and clears the visits. A person in two rooms at the same time counts once. */
  find(): Peak {
    const merged = [...this.#presence.values()].flatMap(mergeIntervals)
    this.#presence.clear()
    const starts = Float64Array.from(merged, ([start]) => start).sort()
    // A visit of zero length counts as one millisecond long.
    const ends = Float64Array.from(merged, ([start, end]) => Math.max(end, start + 1)).sort()
    let peak: Peak = { people: 0, at: undefined }
    let left = 0
    for (const [i, start] of starts.entries()) {
      while ((ends[left] ?? Number.POSITIVE_INFINITY) <= start) left++
      if (i + 1 - left > peak.people) peak = { people: i + 1 - left, at: start }
    }
    return peak
  }
}
