import { counted, listNames, plural } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { TimeAnomaly } from '../../../attendance/session-times.ts'
import type { Item } from '../../../output/views/views.ts'

const words: Readonly<Record<TimeAnomaly, string>> = {
  'no start': 'without a readable beginning left out',
  'no end': 'without an end in a terminated room counted up to its termination, as far as that is known',
  'early end': 'with an end before its beginning counted as running',
  'too long': 'longer than 366 days counted for the first 366 days',
}

const maxNamedRooms = 3

export class TimeAnomalyCounter {
  readonly #found = new Map<TimeAnomaly, { sessions: number; rooms: number; named: string[] }>()

  add(room: Item, oddities: ReadonlyMap<TimeAnomaly, number>): void {
    for (const [oddity, count] of oddities) {
      const found = this.#found.get(oddity) ?? { sessions: 0, rooms: 0, named: [] }
      found.sessions += count
      found.rooms++
      if (found.named.length < maxNamedRooms) found.named.push(toText(room['id']))
      this.#found.set(oddity, found)
    }
  }

  /** Notices, such as `1 session with an end before its beginning counted as running, in room 66f1…`. */
  get notices(): string[] {
    return [...this.#found].map(([oddity, { sessions, rooms, named }]) => {
      const where = `${plural(rooms, 'room')} ${listNames(named, maxNamedRooms, rooms)}`
      return `warning: ${counted(sessions, 'session')} ${words[oddity]}, in ${where}`
    })
  }
}
