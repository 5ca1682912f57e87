import { textOf } from '../../../../api/text-of.ts'
import { type Ending, inOrder, isOpen, timeFields, timesOf } from '../../../attendance/session-times.ts'
import type { Item } from '../../../output/views/views.ts'
import type { Person } from './events.ts'

/** The sessions of a room, as far as they matter to who is in it. */
export interface Listed {
  sessions: readonly Item[]
  /** They came in one piece. Between two pages somebody may leave, and the next page then begins one too late. */
  isWhole: boolean
}

/** Who came and who went between two looks, those who came in the order in which they did. */
export interface Changes {
  joined: readonly Person[]
  left: readonly (Person & Ending)[]
}

interface Entry {
  person: Person
  /** The last look did not find them. */
  isMissed: boolean
}

/** Who is in a room, by session. Keeps nobody who has left. */
export class Roster {
  readonly #entries = new Map<string, Entry>()

  get size(): number {
    return this.#entries.size
  }

  /** In the order in which they were found. */
  *people(): Generator<Person> {
    for (const { person } of this.#entries.values()) yield person
  }

  has({ id }: Item): boolean {
    return this.#entries.has(textOf(id))
  }

  /**
   * Takes note of a look at the room. Whoever is missing from several pages is gone when the next look misses them as well.
   * @param arrivals those of the list who are new, by session
   */
  update({ sessions, isWhole }: Listed, arrivals: ReadonlyMap<Item, Person>): Changes {
    const open = new Set<string>()
    const ends = new Map<string, Ending>()
    for (const session of sessions) {
      const id = textOf(session['id'])
      if (isOpen(session)) open.add(id)
      else ends.set(id, endingOf(session))
    }
    const left = []
    for (const [id, entry] of this.#entries) {
      const isGone = !open.has(id) && (isWhole || entry.isMissed || ends.has(id))
      entry.isMissed = !open.has(id)
      if (!isGone) continue
      this.#entries.delete(id)
      left.push({ ...entry.person, ...(ends.get(id) ?? endingOf({})) })
    }
    for (const [{ id }, person] of arrivals) this.#entries.set(textOf(id), { person, isMissed: false })
    return { joined: inOrder(arrivals.values()), left }
  }
}

function endingOf(session: Item): Ending {
  const [, ended] = timeFields
  return { [ended]: timesOf(session)[ended] }
}
