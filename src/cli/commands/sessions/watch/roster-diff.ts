import type { WatchEvent } from './events.ts'
import type { RoomPoll } from './room-reader.ts'
import { Roster } from './roster.ts'

/** Emits an event for each difference between two polls. */
export class RosterDiff {
  readonly roster = new Roster()
  readonly #tell: (happening: WatchEvent) => Promise<void>
  #room = ''

  constructor(tell: (happening: WatchEvent) => Promise<void>) {
    this.#tell = tell
  }

  async begin(look: RoomPoll): Promise<void> {
    await this.#tellRoom(look)
    const { joined } = this.roster.update(look, look.arrivals)
    for (const person of joined) await this.#tell({ event: 'present', ...person })
    await this.#tell({ event: 'ready', online: this.roster.size })
  }

  async continue(look: RoomPoll): Promise<void> {
    await this.#tellRoom(look)
    let online = this.roster.size
    const { joined, left } = this.roster.update(look, look.arrivals)
    for (const person of left) await this.#tell({ event: 'left', ...person, online: --online })
    for (const person of joined) await this.#tell({ event: 'joined', ...person, online: ++online })
  }

  async #tellRoom({ room }: RoomPoll): Promise<void> {
    const told = JSON.stringify(room)
    if (told !== this.#room) await this.#tell({ event: 'room', ...room })
    this.#room = told
  }
}
