import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { parseEnd } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { fieldOf, type Item, views } from '../output/views/views.ts'
import { isRefusal } from './paging/page-size.ts'
import { provenTotal } from './paging/proven-total.ts'
import { readAll } from './paging/read-all.ts'

/** Who is in a room and who was, as far as its sessions tell. */
interface Presence {
  sessions: number
  online: number | undefined
  /** When somebody was last connected; null when nobody ever was. */
  last: string | null | undefined
}

/** Number of items that are asked for together with their total: fewer are all that there are. */
const few = 2

type Counted = 'listSessions' | 'listMembers'

/**
 * Asks the service how many there are, for one run. What an answer leaves open is read in full; what that leaves open as well
 * is undefined.
 */
export class PresenceReader {
  readonly #context: Context
  readonly #client: Client
  /** Lists of which this service sends no total. */
  readonly #untold = new Set<Counted>()

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
  }

  /** The number of sessions or members of a room. */
  async count(list: Counted, room_id: string): Promise<number> {
    const total = await this.#total(list, room_id)
    if (total !== undefined) return total
    let count = 0
    for await (const _ of readAll(this.#context, this.#client, list, { params: { room_id } })) count++
    return count
  }

  /** The number of sessions that are connected. */
  async online(room_id: string): Promise<number | undefined> {
    const { online, over, unclear, unreadable } = await this.#read(connectedSessions(room_id))
    if (unreadable > 0) return undefined
    // A service that ignores the filter sends what is over as well.
    if (over === 0) return online + unclear.size
    return unclear.size > 0 ? undefined : online
  }

  /** Everything that the sessions of a room tell. */
  async of(room_id: string): Promise<Presence> {
    const { online, over, unclear, unreadable, last } = await this.#read({ params: { room_id } })
    const sessions = online + over + unclear.size + unreadable
    if (unreadable > 0) return { sessions, online: undefined, last: undefined }
    if (unclear.size === 0) return { sessions, online, last }
    // A service may leave out what is null.
    const now = await this.#read(connectedSessions(room_id))
    if (now.over + now.unreadable > 0) return { sessions, online: undefined, last: undefined }
    const isOpen = (id: string) => now.unclear.has(id)
    return {
      sessions,
      online: online + [...unclear].filter(isOpen).length,
      last: [...unclear].every(isOpen) ? last : undefined,
    }
  }

  /** Asks for two items and the total; undefined where the answer does not settle the number. */
  async #total(list: Counted, room_id: string): Promise<number | undefined> {
    if (this.#untold.has(list)) return undefined
    try {
      const { count, hasTotal } = await provenTotal(
        this.#client,
        list,
        { params: { room_id } },
        { limit: few, trustsOrdinary: true },
      )
      if (!hasTotal && count === undefined) this.#untold.add(list)
      return count
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The document has no `limit` for sessions.
      this.#untold.add(list)
    }
    return undefined
  }

  async #read(input: Input<Operations['listSessions']>) {
    let online = 0
    let over = 0
    let unreadable = 0
    const unclear = new Set<string>()
    let last: { at: string; ms: number } | null = null
    for await (const session of readAll(this.#context, this.#client, 'listSessions', input)) {
      const end = endOf(session)
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

/** Asks for the sessions of a room that are connected. */
export const connectedSessions = (room_id: string) => ({
  params: { room_id },
  query: { is_connecting: true },
})

/** Whether a session is over, and since when. One that does not say so, or not so that it can be read, is neither. */
function endOf(
  session: Item,
): { is: 'open' } | { is: 'unclear' } | { is: 'unreadable' } | { is: 'over'; at: string; ms: number } {
  const told = fieldOf(views.session, 'disconnected_at', session)
  if (!told.known) return { is: 'unclear' }
  const end = parseEnd(session['connected_at'], told.value)
  if (end === undefined) return { is: 'unreadable' }
  return end === null ? { is: 'open' } : { is: 'over', at: textOf(told.value), ms: end }
}
