/** Evidence of a write: the response, or a later read. */
export type How = 'acknowledged' | 'seen'

/** Number of a deleted room, greater than all others. */
export const deleted = Number.POSITIVE_INFINITY
/** Number of a room that is missing without a deletion; smaller than all others. */
const gone = -1

/**
 * Record of observed rooms, to compare with the service after a crash. The number of a room only increases.
 */
export class Oracle {
  readonly #known: Record<How, Map<string, number>> = { acknowledged: new Map(), seen: new Map() }
  /** Rooms whose deletion may have been sent. */
  readonly #maybeDeleted = new Set<string>()
  /** Counts of acknowledged and of observed writes. */
  readonly counts: Record<How, number> = { acknowledged: 0, seen: 0 }

  /** Records that a room has reached a number. Returns true for a new maximum. */
  learn(id: string, number: number, how: How): boolean {
    const isNews = [...Object.values(this.#known)].every((known) => (known.get(id) ?? gone) < number)
    const known = this.#known[how]
    if ((known.get(id) ?? gone) < number) {
      known.set(id, number)
      this.counts[how]++
    }
    return isNews
  }

  /** Records the deletion of a room. Call this function before you send the request. */
  deleting(id: string): void {
    this.#maybeDeleted.add(id)
  }

  /**
   * Lists the recorded facts that a service has lost in a crash.
   * @param held numbers of the existing rooms, by ID
   */
  missing(held: ReadonlyMap<string, number>): string[] {
    const lost: string[] = []
    for (const how of ['acknowledged', 'seen'] as const)
      for (const [id, number] of this.#known[how]) {
        const now = held.get(id) ?? (this.#maybeDeleted.has(id) ? deleted : gone)
        if (now < number)
          lost.push(`room ${id}: ${inWords(number)} was ${how}, and now it is ${inWords(now)}`)
        // A deletion is final: the room must not return after a later crash.
        if (now === deleted) this.#known[how].set(id, deleted)
      }
    return lost
  }
}

function inWords(number: number): string {
  return number === deleted ? 'deleted' : number === gone ? 'gone' : `number ${number}`
}
