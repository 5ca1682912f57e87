import { CompactRecords } from '../compact/records.ts'
import { CompactTexts } from '../compact/texts.ts'
import type { Visit } from './visits.ts'

/** Largest number of people at one time. */
export interface Peak {
  people: number
  /** First time of the peak, in milliseconds since 1970; undefined if nobody was there. */
  at: number | undefined
}

const fields = { person: 0, start: 1, end: 2 }

/** Calculator of the peak across any number of rooms. */
export class PeakFinder {
  readonly #people: CompactTexts
  readonly #presence = new CompactRecords('float', 3)

  /** @param people keys of people, which other objects can share */
  constructor(people = new CompactTexts()) {
    this.#people = people
  }

  /** Adds a visit if the person counts as present. */
  addVisit({ person, intervals, isPresent }: Visit): void {
    if (!isPresent) return
    const key = this.#people.place(person.key)
    for (const [start, end] of intervals) {
      const record = this.#presence.create()
      this.#presence.set(record, fields.person, key)
      this.#presence.set(record, fields.start, start)
      this.#presence.set(record, fields.end, end)
    }
  }

  /** Returns the peak and clears the visits. A person in two rooms at the same time counts once. */
  find(): Peak {
    const [starts, ends] = this.#boundaries()
    this.#presence.clear()
    let peak: Peak = { people: 0, at: undefined }
    let left = 0
    for (const [i, start] of starts.entries()) {
      while ((ends[left] ?? Number.POSITIVE_INFINITY) <= start) left++
      if (i + 1 - left > peak.people) peak = { people: i + 1 - left, at: start }
    }
    return peak
  }

  /** Merges the intervals of each person. Returns all starts and all ends, each sorted. */
  #boundaries(): [starts: Float64Array, ends: Float64Array] {
    const presence = this.#presence
    const compare = (field: number) => (a: number, b: number) =>
      presence.get(a, field) - presence.get(b, field)
    const [byPerson, byStart] = [compare(fields.person), compare(fields.start)]
    const order = Uint32Array.from({ length: presence.count }, (_, i) => i)
    order.sort((a, b) => byPerson(a, b) || byStart(a, b))
    const [starts, ends] = [new Float64Array(order.length), new Float64Array(order.length)]
    let count = 0
    let before: number | undefined
    for (const record of order) {
      const [start, end] = [presence.get(record, fields.start), presence.get(record, fields.end)]
      const last = ends[count - 1] ?? Number.NEGATIVE_INFINITY
      if (before !== undefined && byPerson(record, before) === 0 && start <= last)
        ends[count - 1] = Math.max(last, end)
      else {
        starts[count] = start
        ends[count++] = end
      }
      before = record
    }
    // A visit of zero length counts as one millisecond long.
    for (let i = 0; i < count; i++) ends[i] = Math.max(ends[i] ?? 0, (starts[i] ?? 0) + 1)
    return [starts.subarray(0, count).sort(), ends.subarray(0, count).sort()]
  }
}
