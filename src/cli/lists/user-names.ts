import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import type { Participant } from '../attendance/room-attendance.ts'
import type { Invited } from '../attendance/rows.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from './blocking.ts'
import { FullRecords } from './full-records.ts'
import { listPages } from './list.ts'

/** What is needed of the members of a room. */
interface Needs {
  /** Whether participants without a name need one. */
  names: boolean
  /** Whether it matters who was invited and never came. */
  absent: boolean
  /** Whether members who are blocked count as invited. */
  includeBlocked?: boolean
}

/** Somebody whose name may not be known yet. */
export type NamelessPerson = Pick<Participant, 'user_id' | 'member_id' | 'name' | 'blocked'>

/**
 * Tells who people are, with as few requests as the service allows: sessions that carry names need none, else the members of
 * the room carry them. The document promises names of users only (section 2.3): where members have none, all users are
 * listed, once a run.
 */
export class NameResolver {
  readonly #context: Context
  readonly #client: Client
  readonly #full: FullRecords
  /** Whether the members of this service carry names; undefined until one has shown it. */
  #membersTell: boolean | undefined
  #users: Promise<ReadonlyMap<string, unknown>> | undefined

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
    this.#full = new FullRecords(context, 'listMembers', client)
  }

  /**
   * Gives the participants of a room their names.
   * @returns who was invited and never came
   */
  async complete(room_id: string, participants: readonly NamelessPerson[], needs: Needs): Promise<Invited[]> {
    const nameless = needs.names ? participants.filter(({ name }) => name === undefined || name === null) : []
    const wantsMembers = nameless.length > 0 && this.#membersTell !== false
    const absent: Invited[] = []
    if (needs.absent || wantsMembers) {
      const participantOf = finderOf(participants)
      for await (const member of this.members(room_id, needs.absent)) {
        const { user_id = null, name } = member
        const participant = participantOf(member)
        const blocked = isBlocked(member) ?? false
        if (user_id !== null) this.#membersTell ||= name !== undefined
        if (participant) {
          // A session may leave open which user its member is.
          participant.user_id ??= user_id
          if (needs.names) participant.name ??= name
          participant.blocked = blocked
        } else if (needs.absent && user_id !== null && (needs.includeBlocked || !blocked))
          absent.push({ user_id, name: name ?? null, blocked })
      }
    }
    if (needs.names && this.#membersTell === false) await this.#fromUsers([...nameless, ...absent])
    return absent
  }

  /** The members of a room; where a list shows only a part of each, in full as far as their users matter. */
  async *members(room_id: string, inFull: boolean): AsyncGenerator<Item> {
    const input = { params: { room_id }, query: {} }
    const pages = await listPages(
      this.#context,
      'listMembers',
      input,
      { all: true },
      { client: this.#client },
    )
    for await (const { items } of pages)
      for (const item of inFull ? await this.#namingUsers(items, room_id) : items) yield item
  }

  async #namingUsers(items: readonly Item[], room_id: string): Promise<Item[]> {
    const unclear = items.filter((member) => !Object.hasOwn(member, 'user_id'))
    const records = await this.#full.of(unclear, room_id)
    const recordOf = new Map(unclear.map((item, i) => [item, records[i]]))
    return items
      .map((item) => (recordOf.has(item) ? recordOf.get(item) : item))
      .filter((member) => member !== undefined)
  }

  async #fromUsers(people: readonly { user_id: unknown; name?: unknown }[]): Promise<void> {
    const nameless = people.filter(({ user_id, name = null }) => user_id !== null && name === null)
    if (nameless.length === 0) return
    this.#users ??= this.#listUsers()
    const users = await this.#users
    for (const person of nameless) person.name = users.get(textOf(person.user_id)) ?? null
  }

  async #listUsers(): Promise<ReadonlyMap<string, unknown>> {
    const names = new Map<string, unknown>()
    const pages = await listPages(
      this.#context,
      'listUsers',
      { query: {} },
      { all: true },
      { client: this.#client },
    )
    for await (const { items } of pages)
      for (const { user_id, name } of items) names.set(textOf(user_id), name)
    return names
  }
}

/** Finds the participant that a member is: by its user, or by its id. */
function finderOf(participants: readonly NamelessPerson[]): (member: Item) => NamelessPerson | undefined {
  const known = new Map<string, NamelessPerson>()
  for (const participant of participants) {
    const { user_id, member_id } = participant
    if (user_id !== null) known.set(`user ${textOf(user_id)}`, participant)
    if (member_id !== null) known.set(`member ${textOf(member_id)}`, participant)
  }
  return ({ id, user_id }) => known.get(`user ${textOf(user_id)}`) ?? known.get(`member ${textOf(id)}`)
}
