import { type Interval, mergeIntervals } from './intervals.ts'
import type { Visit } from './visits.ts'

/** Largest number of people at one time. */
export interface Peak {
  people: number
  /** First time of the peak, in milliseconds since 1970; undefined if nobody was there. */
  at: number | undefined
}

/** Collects the presence of people in any number of rooms. */
export class PeakFinder {
  readonly #presence = new Map<string, readonly Interval[]>()

  /** Adds a visit, unless it is too short to count. */
  addVisit({ person, intervals, isPresent }: Visit): void {
    if (!isPresent) return
    const known = this.#presence.get(person.key)
    this.#presence.set(person.key, known ? known.concat(intervals) : intervals)
  }

  /** A person who is in two rooms at once counts once. */
  find(): Peak {
    const starts: number[] = []
    const ends: number[] = []
    for (const intervals of this.#presence.values())
      for (const [start, end] of mergeIntervals(intervals)) {
        starts.push(start)
        // A moment counts for a millisecond.
        ends.push(Math.max(end, start + 1))
      }
    starts.sort((a, b) => a - b)
    ends.sort((a, b) => a - b)
    let peak: Peak = { people: 0, at: undefined }
    let left = 0
    for (const [i, start] of starts.entries()) {
      while ((ends[left] ?? Number.POSITIVE_INFINITY) <= start) left++
      if (i + 1 - left > peak.people) peak = { people: i + 1 - left, at: start }
    }
    return peak
  }
}
