import { textOf } from '../../../../api/text-of.ts'
import type { Oddity } from '../../../attendance/session-times.ts'
import type { Item } from '../../../output/views/views.ts'

const words: Readonly<Record<Oddity, string>> = {
  'no start': 'without a readable beginning left out',
  'no end': 'without an end in a terminated room counted up to its termination, as far as that is known',
  'early end': 'with an end before its beginning counted as running',
}

/** Maximum number of rooms in a notice. */
const mostNamed = 3

/** Counts sessions with impossible times over all rooms. */
export class OddSessionCounter {
  readonly #found = new Map<Oddity, { sessions: number; rooms: number; named: string[] }>()

  add(room: Item, oddities: ReadonlyMap<Oddity, number>): void {
    for (const [oddity, count] of oddities) {
      const found = this.#found.get(oddity) ?? { sessions: 0, rooms: 0, named: [] }
      found.sessions += count
      found.rooms++
      if (found.named.length < mostNamed) found.named.push(textOf(room['id']))
      this.#found.set(oddity, found)
    }
  }

  /** Notices, such as `1 session with an end before its beginning counted as running, in room 66f1…`. */
  get notices(): string[] {
    return [...this.#found].map(([oddity, { sessions, rooms, named }]) => {
      const more = rooms > named.length ? ` and ${rooms - named.length} more` : ''
      const where = `${rooms === 1 ? 'room' : 'rooms'} ${named.join(', ')}${more}`
      return `warning: ${sessions} ${sessions === 1 ? 'session' : 'sessions'} ${words[oddity]}, in ${where}`
    })
  }
}
