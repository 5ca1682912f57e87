import { sortByStart } from '../../../reports/session-times.ts'
import type { PlacedPerson, WatchEvent, WatchScene } from './events.ts'
import type { RoomPoll, RoomsPoll } from './room-poller.ts'
import { Roster } from './roster.ts'

type Tell = (event: WatchEvent, room_id?: string) => Promise<void>

export class RoomDiffs {
  readonly #rooms = new Map<string, RoomDiff>()
  readonly #tell: Tell

  constructor(tell: Tell) {
    this.#tell = tell
  }

  readonly rosterOf = (room_id: string): Roster => this.#of(room_id).roster

  get scene(): WatchScene {
    const inUse = [...this.#rooms].filter(([, { roster }]) => roster.size > 0)
    function* people(): Generator<PlacedPerson> {
      for (const [room_id, { roster }] of inUse)
        for (const person of sortByStart(roster.people())) yield { ...person, room_id }
    }
    const online = inUse.reduce((sum, [, { roster }]) => sum + roster.size, 0)
    return { online, inUse: inUse.length, people }
  }

  async begin({ rooms }: RoomsPoll): Promise<void> {
    for (const poll of rooms) await this.#of(poll.room_id).begin(poll)
    await this.#tell({ event: 'ready', online: this.scene.online })
  }

  async continue({ rooms, isListed }: RoomsPoll): Promise<void> {
    for (const [room_id, diff] of this.#rooms)
      if (!isListed(room_id)) {
        await diff.update({ sessions: [], isWhole: true, arrivals: new Map() })
        this.#rooms.delete(room_id)
      }
    for (const poll of rooms) await this.#of(poll.room_id).continue(poll)
  }

  #of(room_id: string): RoomDiff {
    const known = this.#rooms.get(room_id)
    if (known) return known
    const diff = new RoomDiff((event) => this.#tell(event, room_id))
    this.#rooms.set(room_id, diff)
    return diff
  }
}

class RoomDiff {
  readonly roster = new Roster()
  #room = ''
  readonly #tell: Tell

  constructor(tell: Tell) {
    this.#tell = tell
  }

  async begin(poll: RoomPoll): Promise<void> {
    await this.#tellRoom(poll)
    const { joined } = this.roster.update(poll, poll.arrivals)
    for (const person of joined) await this.#tell({ event: 'present', ...person })
  }

  async continue(poll: RoomPoll): Promise<void> {
    await this.#tellRoom(poll)
    await this.update(poll)
  }

  async update(poll: Pick<RoomPoll, 'sessions' | 'isWhole' | 'arrivals'>): Promise<void> {
    let online = this.roster.size
    const { joined, left } = this.roster.update(poll, poll.arrivals)
    for (const person of left) await this.#tell({ event: 'left', ...person, online: --online })
    for (const person of joined) await this.#tell({ event: 'joined', ...person, online: ++online })
  }

  async #tellRoom({ room }: RoomPoll): Promise<void> {
    const told = JSON.stringify(room)
    if (told !== this.#room) await this.#tell({ event: 'room', ...room })
    this.#room = told
  }
}
