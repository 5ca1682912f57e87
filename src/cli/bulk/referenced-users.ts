import type { Client } from '../../client/client.ts'
import { itemOf } from './adapter/adapter.ts'

const mostLooks = 1000

/** Checks that the users in rows exist, each once, so that a dry run predicts failures. */
export class ReferencedUsers {
  readonly #client: Client
  readonly #notice: (text: string) => Promise<void>
  readonly #exists = new Map<string, Promise<boolean>>()
  #isFull = false

  constructor(client: Client, notice: (text: string) => Promise<void>) {
    this.#client = client
    this.#notice = notice
  }

  /** Returns the first missing user, up to the maximum number of lookups. */
  async missing(users: readonly string[]): Promise<string | undefined> {
    for (const user of users) if (!(await this.#look(user))) return user
    return undefined
  }

  #look(user_id: string): Promise<boolean> {
    const known = this.#exists.get(user_id)
    if (known) return known
    if (this.#exists.size >= mostLooks) return this.#full()
    const asked = itemOf(this.#client.call('getUser', { params: { user_id } }), 'user').then(
      (user) => user !== undefined,
    )
    this.#exists.set(user_id, asked)
    // Failures are not cached.
    asked.catch(() => this.#exists.delete(user_id))
    return asked
  }

  async #full(): Promise<true> {
    if (!this.#isFull) {
      this.#isFull = true
      await this.#notice(`only the first ${mostLooks} users are looked up`)
    }
    return true
  }
}
