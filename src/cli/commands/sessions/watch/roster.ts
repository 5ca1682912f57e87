import { toText } from '../../../../api/to-text.ts'
import type { Item } from '../../../output/views/views.ts'
import {
  isRunningSession,
  readSessionTimes,
  type SessionEnd,
  sortByStart,
} from '../../../reports/session-times.ts'
import type { PresentPerson } from './events.ts'

export interface SessionList {
  sessions: readonly Item[]
  /** False if the list may lack sessions. */
  isWhole: boolean
}

interface RosterChanges {
  joined: readonly PresentPerson[]
  left: readonly (PresentPerson & SessionEnd)[]
}

interface Entry {
  person: PresentPerson
  /** True if the session was missing from the last poll. */
  isMissed: boolean
}

export class Roster {
  readonly #entries = new Map<string, Entry>()

  get size(): number {
    return this.#entries.size
  }

  *people(): Generator<PresentPerson> {
    for (const { person } of this.#entries.values()) yield person
  }

  has({ id }: Item): boolean {
    return this.#entries.has(toText(id))
  }

  /** Applies a poll. Unless `isWhole`, keeps a session that is missing once without an end. */
  update({ sessions, isWhole }: SessionList, arrivals: ReadonlyMap<Item, PresentPerson>): RosterChanges {
    const open = new Set<string>()
    const ends = new Map<string, SessionEnd>()
    for (const session of sessions) {
      const id = toText(session['id'])
      if (isRunningSession(session)) open.add(id)
      else ends.set(id, readEnd(session))
    }
    const left = []
    for (const [id, entry] of this.#entries) {
      const isGone = !open.has(id) && (isWhole || entry.isMissed || ends.has(id))
      entry.isMissed = !open.has(id)
      if (!isGone) continue
      this.#entries.delete(id)
      left.push({ ...entry.person, ...(ends.get(id) ?? readEnd({})) })
    }
    for (const [{ id }, person] of arrivals) this.#entries.set(toText(id), { person, isMissed: false })
    return { joined: sortByStart(arrivals.values()), left }
  }
}

function readEnd(session: Item): SessionEnd {
  return { disconnected_at: readSessionTimes(session).disconnected_at }
}
