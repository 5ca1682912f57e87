import type { WatchEvent } from './events.ts'
import type { RoomPoll } from './room-reader.ts'
import { Roster } from './roster.ts'

export class RosterDiff {
  readonly roster = new Roster()
  readonly #tell: (event: WatchEvent) => Promise<void>
  #room = ''

  constructor(tell: (event: WatchEvent) => Promise<void>) {
    this.#tell = tell
  }

  async begin(poll: RoomPoll): Promise<void> {
    await this.#tellRoom(poll)
    const { joined } = this.roster.update(poll, poll.arrivals)
    for (const person of joined) await this.#tell({ event: 'present', ...person })
    await this.#tell({ event: 'ready', online: this.roster.size })
  }

  async continue(poll: RoomPoll): Promise<void> {
    await this.#tellRoom(poll)
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
