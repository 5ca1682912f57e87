import type { Client } from '../../api/client.ts'
import { defined } from '../../api/defined.ts'
import { readAnswer } from '../../api/json.ts'
import { textOf } from '../../api/text-of.ts'
import type { Context } from '../context.ts'
import { listPages } from '../operations/list.ts'
import { isRefusal, usualPageSize } from '../operations/page-size.ts'
import type { Page } from '../output/page.ts'
import { fieldOf, type Item, views } from '../output/views.ts'
import { gather } from './attendance.ts'
import type { Interval } from './intervals.ts'
import { Names } from './names.ts'
import type { RoomReport } from './rows.ts'
import { momentIn } from './stay.ts'

/** What a report needs of each room. */
export interface Wanted {
  /** In milliseconds since 1970. */
  span: Interval
  /** Whether people are called by name. */
  names: boolean
  /** Whether rooms are called by name. */
  roomNames: boolean
  absent: boolean
  visits: boolean
}

/**
 * Reads who was in rooms, one after the other or some at once. What is not needed is not asked for: the sessions of a room
 * take one request, names and who is absent one more.
 * @param now milliseconds since 1970: sessions that run have lasted until then
 */
export function roomReader(
  context: Context,
  client: Client,
  wanted: Wanted,
  now: number,
): (room: Item) => Promise<RoomReport> {
  const names = new Names(context, client)
  const sessions = new Sessions(context, client)
  return async (given) => {
    const room_id = textOf(given['id'])
    const recordOf = once(async () => {
      const answer = await client.call('getRoom', { params: { id: room_id } })
      return { ...given, ...((readAnswer(answer) as Item)['room'] as Item), id: given['id'] }
    })
    const known = async (field: string) =>
      fieldOf(views.room, field, given).known ? given : await recordOf()
    const usersOf = once(() => usersByMember(names.members(room_id, true)))
    const attendance = await gather(sessions.of(room_id), {
      span: wanted.span,
      now,
      terminatedAt: once(async () => terminationOf(await known('status'))),
      userOf: async (member_id) => (await usersOf()).get(textOf(member_id)) ?? null,
      visits: wanted.visits,
    })
    const absent = await names.complete(room_id, attendance.participants, wanted)
    const room = wanted.roomNames ? await known('name') : given
    return { room, attendance, absent: wanted.absent ? absent : undefined }
  }
}

/**
 * The sessions of rooms, in pages: all at once, those of a room with very many would take much memory. The document knows
 * neither pages nor limits here, so a service may send them all, or refuse to be asked.
 */
class Sessions {
  readonly #context: Context
  readonly #client: Client
  #isRefused = false

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
  }

  async *of(room_id: string): AsyncGenerator<Page> {
    const { pages, first } = await this.#begin(room_id)
    if (first.done) return
    yield first.value
    yield* pages
  }

  async #begin(room_id: string) {
    if (!this.#isRefused)
      try {
        return await begun(await this.#pages(room_id, usualPageSize))
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    const whole = await begun(await this.#pages(room_id))
    this.#isRefused = true
    return whole
  }

  #pages(room_id: string, pageSize?: number): Promise<AsyncGenerator<Page, Page | undefined>> {
    const input = { params: { room_id }, query: {} }
    const all = { all: true, ...defined({ pageSize }) }
    return listPages(this.#context, 'listSessions', input, all, { client: this.#client })
  }
}

/** A list of which the first page is there. */
async function begun(pages: AsyncGenerator<Page, Page | undefined>) {
  return { pages, first: await pages.next() }
}

/** When a room was terminated, NaN when nobody knows; undefined while it is open. */
function terminationOf(room: Item): number | undefined {
  const status = fieldOf(views.room, 'status', room)
  if (!status.known || status.value !== 'terminated') return undefined
  return momentIn(room['terminated_at'])
}

async function usersByMember(members: AsyncIterable<Item>): Promise<ReadonlyMap<string, unknown>> {
  const users = new Map<string, unknown>()
  for await (const { id, user_id } of members) users.set(textOf(id), user_id)
  return users
}

/** Asks at most once. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}
