import type { InputOf } from '../../../../api/operations.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Client } from '../../../../client/client.ts'
import {
  type Hint,
  IncompleteError,
  MeetroomError,
  NetworkError,
  WrongBaseUrlError,
} from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { initialConcurrency } from '../../../kernel/flags.ts'
import { listConnectedSessions } from '../../../lists/presence.ts'
import { readList } from '../../../lists/read-list.ts'
import { NameResolver, type UnnamedPerson } from '../../../lists/user-names.ts'
import { cellOf, type Item, views } from '../../../output/views/views.ts'
import { type RecordRef, readRecord } from '../../../records/records.ts'
import { isRunningSession } from '../../../reports/session-times.ts'
import { mapAhead } from '../../../run/map-ahead.ts'
import type { PresentPerson, RoomState } from './events.ts'
import type { Roster, SessionList } from './roster.ts'

export interface RoomPoll extends SessionList {
  room_id: string
  room: RoomState
  arrivals: ReadonlyMap<Item, PresentPerson>
}

export interface RoomsPoll {
  rooms: readonly RoomPoll[]
  /** Returns false if a complete list lacks the room. */
  isListed: (room_id: string) => boolean
}

type RosterOf = (room_id: string) => Roster

export class RoomPoller {
  readonly #noticed = new Set<string>()
  readonly #context: Context
  readonly #client: Client
  readonly #room_id: string | undefined

  /** @param room_id undefined for all rooms */
  constructor(context: Context, client: Client, room_id: string | undefined) {
    this.#context = context
    this.#client = client
    this.#room_id = room_id
  }

  async poll(rosterOf: RosterOf): Promise<RoomsPoll> {
    // Each poll uses a new resolver, because cached names become outdated during a long watch.
    const names = new NameResolver(this.#context, this.#client)
    const id = this.#room_id
    if (id === undefined) return this.#pollAll(rosterOf, names)
    const room = await readRecord(this.#client, { kind: 'room', id })
    return { rooms: [await this.#pollRoom(id, room, rosterOf(id), names)], isListed: () => true }
  }

  async #pollAll(rosterOf: RosterOf, names: NameResolver): Promise<RoomsPoll> {
    const listed = await this.#readAll('listRooms', {})
    const ids = new Set(listed.items.map(({ id }) => toText(id)))
    const poll = (room: Item) => {
      const id = toText(room['id'])
      return undefinedIfRefused(this.#pollRoom(id, room, rosterOf(id), names))
    }
    const rooms: RoomPoll[] = []
    for await (const found of mapAhead(listed.items, initialConcurrency, poll)) if (found) rooms.push(found)
    return { rooms, isListed: (id) => !listed.isComplete || ids.has(id) }
  }

  async #pollRoom(room_id: string, room: Item, known: Roster, names: NameResolver): Promise<RoomPoll> {
    // A service that ignores the filter also returns ended sessions.
    const keeps = (session: Item) => isRunningSession(session) || known.has(session)
    const input = listConnectedSessions(room_id)
    const { items: sessions, isComplete, pages } = await this.#readAll('listSessions', input, keeps)
    const fresh = sessions.filter((session) => isRunningSession(session) && !known.has(session))
    const arrivals = new Map(fresh.map((session) => [session, toPerson(session)]))
    await resolveNames(names, this.#client, room_id, [...arrivals.values()])
    return { room_id, room: toRoomState(room), sessions, isWhole: isComplete && pages <= 1, arrivals }
  }

  async #readAll<N extends 'listRooms' | 'listSessions'>(
    name: N,
    input: InputOf<N>,
    keeps: (item: Item) => boolean = () => true,
  ) {
    const found: Item[] = []
    let pages = 0
    try {
      const context = { client: async () => this.#client, notice: (text: Hint) => this.#noticeOnce(text) }
      const options = { all: true, selectsItems: true, inPages: true }
      for await (const { items } of readList(context, name, input, options)) {
        if (items.length > 0) pages++
        for (const item of items) if (keeps(item)) found.push(item)
      }
    } catch (error) {
      // The next poll may return the rest.
      if (!(error instanceof IncompleteError)) throw error
      await this.#noticeOnce(`warning: ${error.message}`)
      return { items: found, isComplete: false, pages }
    }
    return { items: found, isComplete: true, pages }
  }

  /** Prints a notice only once, because most notices recur at each poll, with other numbers. */
  async #noticeOnce(text: Hint): Promise<void> {
    const kind = JSON.stringify(text).replaceAll(/\d+/g, '0')
    if (this.#noticed.has(kind)) return
    this.#noticed.add(kind)
    await this.#context.notice(text)
  }
}

function toRoomState(room: Item): RoomState {
  const read = (field: string) => cellOf(views.room, field, room)
  return { name: read('name'), status: read('status'), terminated_at: read('terminated_at') }
}

function toPerson({ id, member_id, user_id, name, connected_at }: Item): PresentPerson {
  return {
    session_id: id,
    member_id: member_id ?? null,
    user_id: user_id === '' ? null : (user_id ?? null),
    name: name ?? null,
    connected_at: connected_at ?? null,
  }
}

/** Number of unnamed people per room above which the poller reads lists. */
const maxSingleLookups = 5

/** Looks up missing names, because the API specification (“Session”) defines no names. */
async function resolveNames(
  names: NameResolver,
  client: Client,
  room_id: string,
  people: readonly UnnamedPerson[],
): Promise<void> {
  const nameless = people.filter(({ name }) => name === null)
  if (nameless.length > maxSingleLookups)
    await undefinedIfRefused(names.complete(room_id, nameless, { names: true, absent: false }))
  else for (const person of nameless) await resolveName(client, room_id, person)
}

async function resolveName(client: Client, room_id: string, person: UnnamedPerson): Promise<void> {
  if (person.member_id !== null) {
    const member = await readItem(client, { kind: 'member', id: toText(person.member_id), room_id })
    person.user_id ??= member['user_id'] ?? null
    person.name = member['name'] ?? null
  }
  if (person.name !== null || person.user_id === null) return
  const user = await readItem(client, { kind: 'user', id: toText(person.user_id) })
  person.name = user['name'] ?? null
}

async function readItem(client: Client, ref: RecordRef): Promise<Item> {
  return (await undefinedIfRefused(readRecord(client, ref))) ?? {}
}

/** Returns undefined after a `MeetroomError`, unless the service is down or the command is interrupted. */
async function undefinedIfRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof MeetroomError && error.code !== 'interrupted' && !isServiceDown(error))
      return undefined
    throw error
  }
}

/** Excludes a 500 with JSON, because a 500 for a single user recurs at every poll. */
function isServiceDown(error: MeetroomError): boolean {
  return error.retryable || error instanceof NetworkError || error instanceof WrongBaseUrlError
}
