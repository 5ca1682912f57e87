import type { Endpoint } from '../api/endpoints.ts'
import { getIdField, isRecord } from '../api/guards.ts'
import { toText } from '../api/to-text.ts'
import type { Item } from './compare.ts'
import type { AnyInput } from './request.ts'
import { callerId } from './request.ts'
import type { Before } from './verdict.ts'

/** Maximum number of items in memory. A command may read a long list before it writes. */
const maxItems = 20_000

/** Last read state of items, which distinguishes a change from a value that existed before. */
export class KnownItems {
  readonly #items = new Map<string, Item | null>()

  /** Records the items of a response to a read, or the absence of the requested item. */
  add(endpoint: Endpoint, input: AnyInput, value: unknown): void {
    const { many, result } = endpoint
    const found = isRecord(value) ? value[result] : undefined
    const id = getIdField(endpoint)
    if (many && Array.isArray(found))
      for (const item of found) this.#set(endpoint, toText(Object(item)[id]), item)
    else if (!many) this.#set(endpoint, callerId(endpoint, input), isRecord(found) ? found : null)
  }

  /** Removes and returns an item: null if recorded as absent, undefined if unknown. */
  take(endpoint: Endpoint, input: AnyInput): Before {
    if (this.#items.size === 0) return undefined
    const key = createKey(endpoint, callerId(endpoint, input))
    const item = this.#items.get(key)
    this.#items.delete(key)
    return item
  }

  #set(endpoint: Endpoint, id: string | undefined, item: Item | null): void {
    if (id === undefined) return
    const key = createKey(endpoint, id)
    this.#items.delete(key)
    this.#items.set(key, item)
    if (this.#items.size <= maxItems) return
    const [oldest] = this.#items.keys()
    if (oldest !== undefined) this.#items.delete(oldest)
  }
}

const createKey = ({ resource }: Endpoint, id = '') => `${resource}/${id}`
