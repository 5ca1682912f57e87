import type { InputOf } from '../../api/operations.ts'
import { parseEnd } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { type Item, readField, views } from '../output/views/views.ts'
import { isRefusal } from './paging/page-size.ts'
import { proveTotal } from './paging/proven-total.ts'
import { readList } from './read-list.ts'

interface Presence {
  sessions: number
  online: number | undefined
  /** End of the last ended session; null if no session has ended, undefined if unknown. */
  last: string | null | undefined
}

/** Number of items to request with the total. */
const probeSize = 2

type CountableList = 'listSessions' | 'listMembers'

/** Reader of counts and presence of rooms. An uncertain number of connected sessions is undefined. */
export class PresenceReader {
  readonly #withoutTotal = new Set<CountableList>()
  readonly #context: Context
  readonly #client: Client

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
  }

  async count(list: CountableList, room_id: string): Promise<number> {
    const total = await this.#total(list, room_id)
    if (total !== undefined) return total
    let count = 0
    for await (const { items } of this.#pages(list, { params: { room_id } })) count += items.length
    return count
  }

  async online(room_id: string): Promise<number | undefined> {
    const { online, over, unclear, unreadable } = await this.#read(listConnectedSessions(room_id))
    if (unreadable > 0) return undefined
    // A service that ignores the filter also sends ended sessions.
    if (over === 0) return online + unclear.size
    return unclear.size > 0 ? undefined : online
  }

  /** Returns the IDs of the connected people; null if some sessions are ambiguous or unreadable. */
  async people(room_id: string): Promise<ReadonlySet<string> | null> {
    const people = new Set<string>()
    const { over, unclear, unreadable } = await this.#read(listConnectedSessions(room_id), (session) => {
      const { id, member_id, user_id } = session
      people.add(toText(user_id ?? member_id ?? id))
    })
    return unreadable > 0 || (over > 0 && unclear.size > 0) ? null : people
  }

  async of(room_id: string): Promise<Presence> {
    const { online, over, unclear, unreadable, last } = await this.#read({ params: { room_id } })
    const sessions = online + over + unclear.size + unreadable
    if (unreadable > 0) return { sessions, online: undefined, last: undefined }
    if (unclear.size === 0) return { sessions, online, last }
    // A session without `disconnected_at` may be connected, because some services omit null fields.
    const now = await this.#read(listConnectedSessions(room_id))
    if (now.over + now.unreadable > 0) return { sessions, online: undefined, last: undefined }
    const isOpen = (id: string) => now.unclear.has(id)
    return {
      sessions,
      online: online + [...unclear].filter(isOpen).length,
      last: [...unclear].every(isOpen) ? last : undefined,
    }
  }

  async #total(list: CountableList, room_id: string): Promise<number | undefined> {
    if (this.#withoutTotal.has(list)) return undefined
    try {
      const { count, hasTotal } = await proveTotal(
        this.#client,
        list,
        { params: { room_id } },
        { limit: probeSize, trustsUnrounded: true },
      )
      if (!hasTotal && count === undefined) this.#withoutTotal.add(list)
      return count
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Some services refuse `limit`, because the API specification does not list it for sessions.
      this.#withoutTotal.add(list)
    }
    return undefined
  }

  #pages<N extends CountableList>(list: N, input: InputOf<N>) {
    return readList(this.#context, list, input, { all: true, selectsItems: true, client: this.#client })
  }

  /** @param onPresent receives each session that may be connected */
  async #read(input: InputOf<'listSessions'>, onPresent?: (session: Item) => void) {
    let online = 0
    let over = 0
    let unreadable = 0
    const unclear = new Set<string>()
    let last: { at: string; ms: number } | null = null
    for await (const { items } of this.#pages('listSessions', input))
      for (const session of items) {
        const end = classifyEnd(session)
        if (end.is !== 'over') onPresent?.(session)
        if (end.is === 'open') online++
        else if (end.is === 'unreadable') unreadable++
        else if (end.is === 'unclear') unclear.add(String(session['id']))
        else {
          over++
          if (last === null || end.ms > last.ms) last = end
        }
      }
    return { online, over, unclear, unreadable, last: last?.at ?? null }
  }
}

export const listConnectedSessions = (room_id: string) => ({
  params: { room_id },
  query: { is_connecting: true },
})

function classifyEnd(
  session: Item,
): { is: 'open' } | { is: 'unclear' } | { is: 'unreadable' } | { is: 'over'; at: string; ms: number } {
  const disconnected = readField(views.session, 'disconnected_at', session)
  if (!disconnected.known) return { is: 'unclear' }
  const end = parseEnd(session['connected_at'], disconnected.value)
  if (end === undefined) return { is: 'unreadable' }
  return end === null ? { is: 'open' } : { is: 'over', at: toText(disconnected.value), ms: end }
}
