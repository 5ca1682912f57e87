import { type Interval, mergeIntervals } from './intervals.ts'
import type { Visit } from './visits.ts'

/** Largest number of people at one time. */
export interface Peak {
  people: number
  /** First time of the peak, in milliseconds since 1970; undefined if nobody was there. */
  at: number | undefined
}

/** Calculator of the peak across any number of rooms. */
export class PeakFinder {
  readonly #presence = new Map<string, readonly Interval[]>()

  /** Adds a visit if the person counts as present. */
  addVisit({ person, intervals, isPresent }: Visit): void {
    if (!isPresent) return
    const known = this.#presence.get(person.key)
    this.#presence.set(person.key, known ? known.concat(intervals) : intervals)
  }

  /** Returns the peak. A person in two rooms at the same time counts once. */
  find(): Peak {
    const starts: number[] = []
    const ends: number[] = []
    for (const intervals of this.#presence.values())
      for (const [start, end] of mergeIntervals(intervals)) {
        starts.push(start)
        // A visit of zero length counts as one millisecond long.
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
