import { isLosslessNumber } from 'lossless-json'
import { findSegmentProblem } from '../../api/path.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { IncompleteError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { readList } from '../lists/read-list.ts'
import type { Item } from '../output/views/views.ts'
import { findRecord } from '../records/records.ts'
import { mapAhead } from '../run/map-ahead.ts'

export interface UserAccess {
  /** Additional fields of the user that links need. */
  fields: Item
  exists: boolean
  name: string | null
  access_token: string | null
}

/** Number of users above which the list of all users is read before single users are requested. */
const maxSingle = 20
const concurrency = 8

export class UserAccessReader {
  readonly #context: Context
  readonly #client: Client
  readonly #fields: readonly string[]
  readonly #users = new Map<string, Promise<UserAccess>>()
  #listing: Promise<void> | undefined

  constructor(context: Context, client: Client, fields: readonly string[]) {
    this.#context = context
    this.#client = client
    this.#fields = fields
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, UserAccess>> {
    const isUnknown = (id: string) => !this.#users.has(id)
    if (this.#users.size + ids.filter(isUnknown).length > maxSingle) {
      this.#listing ??= this.#list()
      await this.#listing
    }
    const found = new Map<string, UserAccess>()
    const read = async (id: string) => {
      const pending = this.#users.get(id) ?? this.#get(id)
      this.#users.set(id, pending)
      return [id, await pending] as const
    }
    for await (const [id, access] of mapAhead(ids, concurrency, read)) found.set(id, access)
    return found
  }

  async #get(user_id: string): Promise<UserAccess> {
    // A user whose ID cannot be part of a path may exist, but cannot be read.
    if (findSegmentProblem('user_id', user_id)) return toUserAccess({}, [])
    const user = await findRecord(this.#client, { kind: 'user', id: user_id })
    const nobody = { exists: false, name: null, access_token: null, fields: {} }
    return user ? toUserAccess(user, this.#fields) : nobody
  }

  async #list(): Promise<void> {
    const options = { all: true, client: this.#client }
    try {
      for await (const { items } of readList(this.#context, 'listUsers', {}, options)) {
        // Some services omit tokens from lists.
        if (!items.some((user) => Object.hasOwn(user, 'access_token'))) return
        for (const user of items) {
          const id = toText(user['user_id'])
          const isWhole = ['access_token', ...this.#fields].every((field) => Object.hasOwn(user, field))
          if (isWhole && !this.#users.has(id))
            this.#users.set(id, Promise.resolve(toUserAccess(user, this.#fields)))
        }
      }
    } catch (error) {
      // Users missing from the list are requested one by one.
      if (!(error instanceof IncompleteError)) throw error
    }
  }
}

export function toUserAccess(user: Item, fields: readonly string[]): UserAccess {
  return {
    exists: true,
    ...{ name: toTextOrNull(user['name']), access_token: toTextOrNull(user['access_token']) },
    fields: Object.fromEntries(fields.map((field) => [field, user[field] ?? null])),
  }
}

/** Converts a nonempty text or a number to text. Returns null for other values. */
export function toTextOrNull(value: unknown): string | null {
  const isScalar = typeof value === 'string' || typeof value === 'number' || isLosslessNumber(value)
  return isScalar ? toText(value) || null : null
}
