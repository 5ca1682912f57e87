import { endpoints } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import { segmentProblem } from '../../api/path.ts'
import type { Answer, Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { type Item, viewOf } from '../output/views/views.ts'
import { mapAhead } from '../pool/map-ahead.ts'
import { undefinedIfNotFound } from './run-one.ts'

/** How to ask for one item of a list in full. */
const get = {
  listRooms: (client: Client, id: string): Promise<Answer> => client.call('getRoom', { params: { id } }),
  listMembers: (client: Client, member_id: string, room_id: string): Promise<Answer> =>
    client.call('getMember', { params: { room_id, member_id } }),
  listUsers: (client: Client, user_id: string): Promise<Answer> =>
    client.call('getUser', { params: { user_id } }),
}

type Gettable = keyof typeof get

/** Number of items that are asked for at once. */
const atOnce = 8

/**
 * The full records of items of which a list may show a part: the document guarantees `id`, `type` and `name` (section 2.1).
 * The first one that is asked for tells whether the lists of this service are partial; unless they are, it stays the only one.
 */
export class FullRecords {
  readonly #context: Context
  readonly #list: Gettable
  readonly #client: Client | undefined
  /** What became of the items that were asked for; a full record is its own. */
  readonly #asked = new WeakMap<Item, Promise<Item | undefined>>()
  #isPartial: boolean | undefined
  /** An item of which it is not known yet what it tells. */
  #finding: Promise<unknown> | undefined

  /** @param client sends the requests; the client of the command when not given */
  constructor(context: Context, list: Gettable, client?: Client) {
    this.#context = context
    this.#list = list
    this.#client = client
  }

  /**
   * The items with everything that the service tells about them, in the same order; undefined for those that no longer exist.
   * @param room the room that members are in
   */
  async of(items: readonly Item[], room: string): Promise<readonly (Item | undefined)[]> {
    await this.#findOut(items, room)
    if (this.#isPartial === false) return items
    const records: (Item | undefined)[] = []
    const recordOf = async (item: Item) =>
      this.#isPartial ? this.#ask(item, room) : (this.#asked.get(item) ?? item)
    for await (const record of mapAhead(items, atOnce, recordOf)) records.push(record)
    return records
  }

  /** Finds out whether lists are partial, from the first item that tells. */
  async #findOut(items: readonly Item[], room: string): Promise<void> {
    for (const item of items) {
      while (this.#finding) await this.#finding
      if (this.#isPartial !== undefined) return
      // An id that fits into no path cannot be asked for.
      if (segmentProblem('id', this.#idOf(item))) continue
      this.#finding = this.#ask(item, room).finally(() => {
        this.#finding = undefined
      })
      await this.#finding
    }
  }

  #ask(item: Item, room: string): Promise<Item | undefined> {
    const known = this.#asked.get(item)
    if (known) return known
    const asked = this.#request(item, room)
    this.#asked.set(item, asked)
    return asked
  }

  async #request(item: Item, room: string): Promise<Item | undefined> {
    const client = this.#client ?? (await this.#context.client())
    const answer = await undefinedIfNotFound(get[this.#list](client, this.#idOf(item), room))
    if (answer === undefined) return undefined
    const record = (readAnswer(answer) as Item)[endpoints[this.#list].resource] as Item
    if (this.#isPartial === undefined) await this.#compare(item, record)
    if (!this.#isPartial) return item
    const full = { ...item, ...record }
    this.#asked.set(full, Promise.resolve(full))
    return full
  }

  async #compare(item: Item, record: Item): Promise<void> {
    this.#isPartial = Object.keys(record).some((field) => !Object.hasOwn(item, field))
    const [one, many] = viewOf(endpoints[this.#list]).noun
    if (this.#isPartial)
      await this.#context.notice(
        `lists of this service show only a part of each ${one}; requesting the full ${many} one by one`,
      )
  }

  #idOf(item: Item): string {
    return String(item[viewOf(endpoints[this.#list]).id ?? 'id'])
  }
}
