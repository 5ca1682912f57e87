/** How somebody has learned of a write: the service said that it is done, or showed it. */
export type How = 'acknowledged' | 'seen'

/** The number of a room that was deleted: greater than all others. */
export const deleted = Number.POSITIVE_INFINITY
/** The number of a room that is not there, and was not to be deleted: less than all others. */
const gone = -1

/**
 * Remembers what a service has let anybody know, to compare it with what the service holds after a crash. Every room is
 * a counter: made with 0, renamed to higher and higher numbers, deleted in the end. So whatever was known once is the
 * least that must be there ever after.
 */
export class Oracle {
  readonly #known: Record<How, Map<string, number>> = { acknowledged: new Map(), seen: new Map() }
  /** Rooms of which a deletion was sent, whether or not anybody has heard that it is done. */
  readonly #maybeDeleted = new Set<string>()
  /** How many writes were acknowledged, and how many were seen. */
  readonly counts: Record<How, number> = { acknowledged: 0, seen: 0 }

  /**
   * Somebody has learned that a room has got as far as this.
   * @returns whether nobody knew it before
   */
  learn(id: string, number: number, how: How): boolean {
    const isNews = [...Object.values(this.#known)].every((known) => (known.get(id) ?? gone) < number)
    const known = this.#known[how]
    if ((known.get(id) ?? gone) < number) {
      known.set(id, number)
      this.counts[how]++
    }
    return isNews
  }

  /** A deletion is about to be sent. */
  deleting(id: string): void {
    this.#maybeDeleted.add(id)
  }

  /**
   * Compares all that is known with what a service holds after a crash.
   * @param held the numbers of the rooms that are there, by id
   * @returns what is lost, a line each
   */
  missing(held: ReadonlyMap<string, number>): string[] {
    const lost: string[] = []
    for (const how of ['acknowledged', 'seen'] as const)
      for (const [id, number] of this.#known[how]) {
        const now = held.get(id) ?? (this.#maybeDeleted.has(id) ? deleted : gone)
        if (now < number)
          lost.push(`room ${id}: ${inWords(number)} was ${how}, and now it is ${inWords(now)}`)
        // Whatever is gone stays so.
        if (now === deleted) this.#known[how].set(id, deleted)
      }
    return lost
  }
}

function inWords(number: number): string {
  return number === deleted ? 'deleted' : number === gone ? 'gone' : `number ${number}`
}
