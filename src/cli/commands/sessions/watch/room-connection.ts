import type { Client } from '../../../../client/client.ts'
import { forgetProbe } from '../../../../client/probe.ts'
import { NetworkError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { ClientSetup } from '../../../requests/service.ts'
import { type RoomPoll, RoomReader } from './room-reader.ts'
import type { Roster } from './roster.ts'

/** Connection to a room. Reopened after a failure, because the local workspace may have moved to another port. */
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

  /** @throws {UsageError} if the local workspace is not served at the first poll */
  async poll(known: Roster): Promise<RoomPoll> {
    const { client, reader } = await this.#open()
    // While a service restarts, a proxy may return 404 for everything, so earlier probes do not apply.
    forgetProbe(client.serviceFacts)
    try {
      return await reader.poll(known)
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  async #open() {
    if (this.#opened && !this.#isLost) return this.#opened
    const url = await this.#context.services.persistentBaseUrl().catch((error) => {
      // A local workspace that was served before is likely to be served again.
      throw this.#opened ? new NetworkError(error.message, { cause: error }) : error
    })
    if (!this.#opened || url !== this.#url) {
      const client = await this.#context.services.persistentClient({ ...this.#setup, serviceFacts: {} })
      this.#opened = { client, reader: new RoomReader(this.#context, client, this.#room_id) }
    }
    this.#url = url
    this.#isLost = false
    return this.#opened
  }
}
