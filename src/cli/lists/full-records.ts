import { endpoints } from '../../api/endpoints.ts'
import { findSegmentProblem } from '../../api/path.ts'
import type { Client } from '../../client/client.ts'
import { Context } from '../kernel/context.ts'
import { type Item, selectView } from '../output/views/views.ts'
import { findRecord } from '../records/records.ts'
import { mapAhead } from '../run/map-ahead.ts'
import type { Run } from '../run/run.ts'
import type { ListContext } from './read-list.ts'

const kinds = { listRooms: 'room', listMembers: 'member', listUsers: 'user' } as const

/** Maximum number of concurrent requests for the records of one page if `FullRecords` opens no run. */
const maxPerPage = 8

/**
 * Full records of list items. The API specification guarantees only `id`, `type` and `name` in lists of rooms
 * (“Room”).
 */
export class FullRecords {
  #client: Client | undefined
  #run: Promise<Run> | undefined
  /** Requested records by item; a full record maps to itself. */
  readonly #records = new WeakMap<Item, Promise<Item | undefined>>()
  #isPartial: boolean | undefined
  #probe: Promise<unknown> | undefined
  readonly #context: ListContext
  readonly #list: keyof typeof kinds
  readonly #concurrency: number | undefined

  /**
   * @param client client for the requests; by default, of a new run or of the context
   * @param concurrency fixed concurrency of a new run; undefined to adapt
   */
  constructor(context: ListContext, list: keyof typeof kinds, client?: Client, concurrency?: number) {
    this.#context = context
    this.#list = list
    this.#concurrency = concurrency
    this.#client = client
  }

  use(client: Client): void {
    this.#client = client
  }

  /**
   * Returns the records in the order of the items; undefined if a requested record does not exist.
   * @param room ID of the room of listed members
   */
  async of(items: readonly Item[], room: string): Promise<readonly (Item | undefined)[]> {
    await this.#probeLists(items, room)
    if (this.#isPartial === false) return items
    if (!this.#isPartial) return Promise.all(items.map((item) => this.#records.get(item) ?? item))
    const records: (Item | undefined)[] = []
    for await (const record of await this.#fetchAll(items, room)) records.push(record)
    return records
  }

  async #fetchAll(items: readonly Item[], room: string): Promise<AsyncIterable<Item | undefined>> {
    const context = this.#context
    // Only the context of a command can open a run.
    if (this.#client || items.length === 1 || !(context instanceof Context))
      return mapAhead(items, maxPerPage, (item) => this.#fetchWithoutRun(item, room))
    this.#run ??= openRunLater(context, this.#concurrency)
    const run = await this.#run
    run.tally.expect(run.tally.total + items.length)
    return run.read(items, (item) => this.#fetch(item, room, run.client))
  }

  /** Replaces partial items with their full records, or with undefined if a record does not exist. */
  async complete(
    items: readonly Item[],
    isPartial: (item: Item, i: number) => boolean,
    room: string,
  ): Promise<readonly (Item | undefined)[]> {
    const partial = items.filter(isPartial)
    if (partial.length === 0) return items
    const records = await this.of(partial, room)
    const recordOf = new Map(partial.map((item, i) => [item, records[i]]))
    return items.map((item) => (recordOf.has(item) ? recordOf.get(item) : item))
  }

  /** Detects partial list items by requesting a full record. */
  async #probeLists(items: readonly Item[], room: string): Promise<void> {
    for (const item of items) {
      while (this.#probe) await this.#probe
      if (this.#isPartial !== undefined) return
      // Some IDs cannot be part of a path.
      if (findSegmentProblem('id', this.#idOf(item))) continue
      this.#probe = this.#fetchWithoutRun(item, room).finally(() => {
        this.#probe = undefined
      })
      await this.#probe
    }
  }

  async #fetchWithoutRun(item: Item, room: string): Promise<Item | undefined> {
    return this.#fetch(item, room, this.#client ?? (await this.#context.client()))
  }

  #fetch(item: Item, room: string, client: Client): Promise<Item | undefined> {
    const cached = this.#records.get(item)
    if (cached) return cached
    const pending = this.#request(item, room, client)
    this.#records.set(item, pending)
    return pending
  }

  async #request(item: Item, room: string, client: Client): Promise<Item | undefined> {
    const record = await findRecord(client, { kind: kinds[this.#list], id: this.#idOf(item), room_id: room })
    if (record === undefined) return undefined
    if (this.#isPartial === undefined) await this.#compare(item, record)
    if (!this.#isPartial) return item
    const full = { ...item, ...record }
    this.#records.set(full, Promise.resolve(full))
    return full
  }

  async #compare(item: Item, record: Item): Promise<void> {
    this.#isPartial = Object.keys(record).some((field) => !Object.hasOwn(item, field))
    const [one, many] = selectView(endpoints[this.#list]).noun
    if (this.#isPartial)
      await this.#context.notice(
        `the service lists each ${one} without some fields; requesting the full ${many} one by one`,
      )
  }

  #idOf(item: Item): string {
    return String(item[selectView(endpoints[this.#list]).id ?? 'id'])
  }
}

/** Loads the module on demand, because most lists need no records. */
async function openRunLater(context: Context, concurrency: number | undefined): Promise<Run> {
  const { openRun } = await import('../run/run.ts')
  return openRun(context, { concurrency })
}
