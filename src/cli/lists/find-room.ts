import { readResponseValue } from '../../api/json.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, NotFoundError, suggest, UsageError } from '../../errors.ts'
import { isNamed } from '../filter/room-name.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { readTotal } from './paging/list-total.ts'
import { paginate } from './paging/paginate.ts'

const maxListed = 10

/** Resolver of room arguments: an ID, `id:` before an ID, or `name:` before an exact name. */
export class RoomFinder {
  readonly #context: Context
  readonly #client: Client | undefined
  readonly #ids = new Map<string, Promise<string>>()

  constructor(context: Context, client?: Client) {
    this.#context = context
    this.#client = client
  }

  /** @throws {NotFoundError or UsageError} when no room or several rooms have the name */
  idOf(room: string): Promise<string> {
    if (room.startsWith('id:')) return Promise.resolve(room.slice('id:'.length))
    if (!room.startsWith('name:')) return Promise.resolve(room)
    const name = room.slice('name:'.length)
    const pending = this.#ids.get(name) ?? this.#find(name)
    this.#ids.set(name, pending)
    return pending
  }

  /** @param missing receives the names without a room; undefined to throw instead */
  async idsOf(rooms: readonly string[], missing: string[] | undefined): Promise<string[]> {
    const ids: string[] = []
    for (const room of rooms)
      try {
        if (room === 'id:-') throw new UsageError('“-” means standard input, even after “id:”')
        ids.push(await this.idOf(room))
      } catch (error) {
        if (!missing || !(error instanceof NotFoundError)) throw error
        missing.push(room)
      }
    return ids
  }

  async #find(name: string): Promise<string> {
    if (name === '') throw new UsageError('the name after “name:” is empty')
    const client = this.#client ?? (await this.#context.lookup())
    const answer = await client.call('listRooms', { query: { name, limit: maxListed } })
    const body = readResponseValue(answer) as { rooms: Item[] }
    const { rooms } = body
    const isAll = rooms.length >= maxListed || (readTotal(body) ?? 0) <= rooms.length
    const found =
      isAll && rooms.every((room) => isNamed(room, name)) ? rooms : await findRoomsByName(client, name)
    const [room, ...others] = found.map(({ id }) => toText(id))
    if (room === undefined)
      throw new NotFoundError(`no such room: no room is named “${name}”`, {
        hint: ['list the rooms with: ', suggest(['rooms', 'list'])],
      })
    if (others.length === 0) return room
    const listed = [room, ...others].slice(0, maxListed)
    const count = found.length < maxListed ? `${found.length}` : `${maxListed} or more`
    throw new UsageError(`${count} rooms are named “${name}”: ${listed.join(', ')}`, {
      hint: 'pass one of these IDs instead of the name',
    })
  }
}

/** Lists all rooms with a name. */
export async function findRoomsByName(client: Client, name: string): Promise<Item[]> {
  const pages = paginate({
    request: { all: true },
    key: 'rooms',
    what: `rooms named “${name}”`,
    id: 'id',
    fetch: (query) => client.call('listRooms', { query: { ...query, name } }),
    serviceFacts: client.serviceFacts,
    notice: async () => {},
  })
  const found: Item[] = []
  for await (const { items } of pages) found.push(...selectNamed(items, name))
  return found
}

/**
 * Selects the rooms with exactly this name, because some services ignore the filter.
 * @throws {ApiError} when the service does not show names
 */
export function selectNamed(rooms: readonly Item[], name: string): Item[] {
  if (rooms.some((room) => !Object.hasOwn(room, 'name')))
    throw new ApiError('the service does not show the names of rooms, so no room can be found by its name')
  return rooms.filter((room) => isNamed(room, name))
}
