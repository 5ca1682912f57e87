import type { Client } from '../../api/client.ts'
import { NetworkError, NotFoundError, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ClientSetup } from '../service.ts'
import { mayPass } from './contact.ts'
import { type Look, RoomReader } from './room-reader.ts'
import type { Roster } from './roster.ts'

/** The way to a room, which is looked for again when it is lost: the local workspace may be served elsewhere by then. */
export class Link {
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
  async look(known: Roster): Promise<Look> {
    const { reader } = await this.#open()
    try {
      return await reader.look(known)
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  /**
   * What to make of a failure after the first look: a proxy may say “not found” to everything while the service behind it
   * restarts, and the local workspace is not served then.
   */
  async judge(error: unknown): Promise<unknown> {
    if (error instanceof UsageError && (await this.#context.settings()).local)
      return new NetworkError(error.message, { cause: error })
    if (!(error instanceof NotFoundError) || !this.#opened) return error
    try {
      await this.#opened.client.call('listRooms', { query: { limit: 1 } })
      return error
    } catch (cause) {
      return mayPass(cause) || cause instanceof NotFoundError
        ? new NetworkError('the service does not know any room', { cause })
        : error
    }
  }

  async #open() {
    if (this.#opened && !this.#isLost) return this.#opened
    const url = await this.#context.liveBaseUrl()
    if (!this.#opened || url !== this.#url) {
      const client = await this.#context.liveClient(this.#setup)
      this.#opened = { client, reader: new RoomReader(this.#context, client, this.#room_id) }
    }
    this.#url = url
    this.#isLost = false
    return this.#opened
  }
}
