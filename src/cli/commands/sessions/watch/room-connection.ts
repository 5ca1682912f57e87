import type { Client } from '../../../../client/client.ts'
import { forgetStanding } from '../../../../client/probe.ts'
import { NetworkError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { ClientSetup } from '../../../requests/service.ts'
import { type RoomPoll, RoomReader } from './room-reader.ts'
import type { Roster } from './roster.ts'

/** The way to a room, which is looked for again when it is lost: the local workspace may be served elsewhere by then. */
export class RoomConnection {
  readonly #context: Context
  readonly #room_id: string
  readonly #setup: Partial<ClientSetup>
  #url = ''
  #opened: { client: Client; reader: RoomReader } | undefined
  #isLost = false

  constructor(context: Context, room_id: string, setup: Partial<ClientSetup>) {
    this.#context = context
    this.#room_id = room_id
    this.#setup = setup
  }

  /**
   * Looks at the room.
   * @throws {UsageError} when the local workspace is not served when the first look is taken
   */
  async look(known: Roster): Promise<RoomPoll> {
    const { client, reader } = await this.#open()
    // While a service restarts, a proxy may say “not found” to everything: what it was like before says little.
    forgetStanding(client.seen)
    try {
      return await reader.look(known)
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  async #open() {
    if (this.#opened && !this.#isLost) return this.#opened
    const url = await this.#context.services.liveBaseUrl().catch((error) => {
      // What was served will be served again.
      throw this.#opened ? new NetworkError(error.message, { cause: error }) : error
    })
    if (!this.#opened || url !== this.#url) {
      const client = await this.#context.services.liveClient({ ...this.#setup, seen: {} })
      this.#opened = { client, reader: new RoomReader(this.#context, client, this.#room_id) }
    }
    this.#url = url
    this.#isLost = false
    return this.#opened
  }
}
