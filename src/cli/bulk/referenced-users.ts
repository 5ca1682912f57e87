import type { Client } from '../../client/client.ts'

const maxLookups = 1000

/** Cached lookups of the users in rows, so that a dry run predicts failures. */
export class ReferencedUsers {
  readonly #client: Client
  readonly #notice: (text: string) => Promise<void>
  readonly #exists = new Map<string, Promise<boolean>>()
  #isFull = false

  constructor(client: Client, notice: (text: string) => Promise<void>) {
    this.#client = client
    this.#notice = notice
  }

  async findMissing(users: readonly string[]): Promise<string | undefined> {
    for (const user of users) if (!(await this.#isExistingUser(user))) return user
    return undefined
  }

  #isExistingUser(user_id: string): Promise<boolean> {
    const cached = this.#exists.get(user_id)
    if (cached) return cached
    if (this.#exists.size >= maxLookups) return this.#noticeLimit()
    const lookup = this.#client.find('getUser', { params: { user_id } }).then((user) => user !== undefined)
    this.#exists.set(user_id, lookup)
    // Failures are not cached.
    lookup.catch(() => this.#exists.delete(user_id))
    return lookup
  }

  async #noticeLimit(): Promise<true> {
    if (!this.#isFull) {
      this.#isFull = true
      await this.#notice(`only the first ${maxLookups} users are looked up`)
    }
    return true
  }
}
