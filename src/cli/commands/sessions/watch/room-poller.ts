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
import { listConnectedSessions } from '../../../lists/presence.ts'
import { readList } from '../../../lists/read-list.ts'
import { NameResolver, type UnnamedPerson } from '../../../lists/user-names.ts'
import { cellOf, type Item, views } from '../../../output/views/views.ts'
import { type RecordRef, readRecord } from '../../../records/records.ts'
import { isRunningSession } from '../../../reports/session-times.ts'
import type { PresentPerson, RoomState } from './events.ts'
import type { Roster, SessionList } from './roster.ts'

export interface RoomPoll extends SessionList {
  room: RoomState
  arrivals: ReadonlyMap<Item, PresentPerson>
}

export class RoomPoller {
  readonly #context: Context
  readonly #client: Client
  readonly #room_id: string
  #hasNoticed = false

  constructor(context: Context, client: Client, room_id: string) {
    this.#context = context
    this.#client = client
    this.#room_id = room_id
  }

  async poll(known: Roster): Promise<RoomPoll> {
    const room = toRoomState(await readRecord(this.#client, { kind: 'room', id: this.#room_id }))
    const listed = await this.#list(known)
    const fresh = listed.sessions.filter((session) => isRunningSession(session) && !known.has(session))
    const arrivals = new Map(fresh.map((session) => [session, toPerson(session)]))
    await resolveNames(this.#context, this.#client, this.#room_id, [...arrivals.values()])
    return { room, ...listed, arrivals }
  }

  async #list(known: Roster): Promise<SessionList> {
    const sessions: Item[] = []
    let pages = 0
    try {
      const context = { client: async () => this.#client, notice: (text: Hint) => this.#noticeOnce(text) }
      const options = { all: true, selectsItems: true, inPages: true }
      const input = listConnectedSessions(this.#room_id)
      for await (const { items } of readList(context, 'listSessions', input, options)) {
        if (items.length > 0) pages++
        // A service that ignores the filter also returns ended sessions.
        for (const session of items)
          if (isRunningSession(session) || known.has(session)) sessions.push(session)
      }
    } catch (error) {
      // The next poll may return the rest.
      if (!(error instanceof IncompleteError)) throw error
      await this.#noticeOnce(`warning: ${error.message}`)
      return { sessions, isWhole: false }
    }
    return { sessions, isWhole: pages <= 1 }
  }

  /** Prints only the first notice, because later polls would repeat it. */
  async #noticeOnce(text: Hint): Promise<void> {
    if (this.#hasNoticed) return
    this.#hasNoticed = true
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

/** Maximum number of people to look up individually. For more people, lists are read. */
const maxSingleLookups = 5

/** Looks up the names of people, because sessions in the API specification contain no names. */
async function resolveNames(
  context: Context,
  client: Client,
  room_id: string,
  people: readonly UnnamedPerson[],
): Promise<void> {
  const nameless = people.filter(({ name }) => name === null)
  if (nameless.length > maxSingleLookups)
    // The resolver is not reused, because its cached names may be days old at the next call.
    await undefinedIfRefused(
      new NameResolver(context, client).complete(room_id, nameless, { names: true, absent: false }),
    )
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

/** Returns undefined if a request for a name is refused. Throws the error of a service that is down. */
async function undefinedIfRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof MeetroomError && error.code !== 'interrupted' && !isServiceDown(error))
      return undefined
    throw error
  }
}

/** Returns true if the service is down. A 500 does not count, because one for a single user recurs at every poll. */
function isServiceDown(error: MeetroomError): boolean {
  return error.retryable || error instanceof NetworkError || error instanceof WrongBaseUrlError
}
