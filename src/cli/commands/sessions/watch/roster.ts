import { textOf } from '../../../../api/text-of.ts'
import { inOrder, isOpen, type SessionEnd, timesOf } from '../../../attendance/session-times.ts'
import type { Item } from '../../../output/views/views.ts'
import type { Person } from './events.ts'

export interface Listed {
  sessions: readonly Item[]
  /** True if one page held all sessions. Between two pages somebody may leave, which hides one session. */
  isWhole: boolean
}

export interface Changes {
  joined: readonly Person[]
  left: readonly (Person & SessionEnd)[]
}

interface Entry {
  person: Person
  /** True if the session was missing from the last poll. */
  isMissed: boolean
}

export class Roster {
  readonly #entries = new Map<string, Entry>()

  get size(): number {
    return this.#entries.size
  }

  *people(): Generator<Person> {
    for (const { person } of this.#entries.values()) yield person
  }

  has({ id }: Item): boolean {
    return this.#entries.has(textOf(id))
  }

  /** Applies a poll. People missing from a list of several pages leave only if the next poll misses them too. */
  update({ sessions, isWhole }: Listed, arrivals: ReadonlyMap<Item, Person>): Changes {
    const open = new Set<string>()
    const ends = new Map<string, SessionEnd>()
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

function endingOf(session: Item): SessionEnd {
  return { disconnected_at: timesOf(session).disconnected_at }
}
