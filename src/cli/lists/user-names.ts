import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import type { Participant } from '../attendance/room-attendance.ts'
import type { Invited } from '../attendance/rows.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from './blocking.ts'
import { FullRecords } from './full-records.ts'
import { listPages } from './list.ts'

interface NameOptions {
  names: boolean
  /** Returns the invited users who never connected. */
  absent: boolean
  includeBlocked?: boolean
}

export type NamelessPerson = Pick<Participant, 'user_id' | 'member_id' | 'name' | 'blocked'>

/**
 * Resolves participant names with few requests: from sessions, else from members, else from all users, listed once
 * a run. The API specification guarantees names only for users (“User”).
 */
export class NameResolver {
  readonly #context: Context
  readonly #client: Client
  readonly #full: FullRecords
  /** True when members carry names; undefined until a member with a user is read. */
  #haveMembersNames: boolean | undefined
  #users: Promise<ReadonlyMap<string, unknown>> | undefined

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
    this.#full = new FullRecords(context, 'listMembers', client)
  }

  /**
   * Sets the names of a room's participants.
   * @returns the invited users who never connected
   */
  async complete(
    room_id: string,
    participants: readonly NamelessPerson[],
    needs: NameOptions,
  ): Promise<Invited[]> {
    const nameless = needs.names ? participants.filter(({ name }) => name === undefined || name === null) : []
    const wantsMembers = nameless.length > 0 && this.#haveMembersNames !== false
    const absent: Invited[] = []
    if (needs.absent || wantsMembers) {
      const participantOf = createFinder(participants)
      for await (const member of this.members(room_id, needs.absent)) {
        const { user_id = null, name } = member
        const participant = participantOf(member)
        const blocked = isBlocked(member) ?? false
        if (user_id !== null) this.#haveMembersNames ||= name !== undefined
        if (participant) {
          // A session may lack the user of its member.
          participant.user_id ??= user_id
          if (needs.names) participant.name ??= name
          participant.blocked = blocked
        } else if (needs.absent && user_id !== null && (needs.includeBlocked || !blocked))
          absent.push({ user_id, name: name ?? null, blocked })
      }
    }
    if (needs.names && this.#haveMembersNames === false) await this.#setUserNames([...nameless, ...absent])
    return absent
  }

  /** Lists the members of a room, completed with their users on request. */
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
      for (const item of inFull ? await this.#withUsers(items, room_id) : items) yield item
  }

  async #withUsers(items: readonly Item[], room_id: string): Promise<Item[]> {
    const incomplete = items.filter((member) => !Object.hasOwn(member, 'user_id'))
    const records = await this.#full.of(incomplete, room_id)
    const recordOf = new Map(incomplete.map((item, i) => [item, records[i]]))
    return items
      .map((item) => (recordOf.has(item) ? recordOf.get(item) : item))
      .filter((member) => member !== undefined)
  }

  async #setUserNames(people: readonly { user_id: unknown; name?: unknown }[]): Promise<void> {
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

/** Creates a function that finds the participant of a member by user or member ID. */
function createFinder(participants: readonly NamelessPerson[]): (member: Item) => NamelessPerson | undefined {
  const participantsById = new Map<string, NamelessPerson>()
  for (const participant of participants) {
    const { user_id, member_id } = participant
    if (user_id !== null) participantsById.set(`user ${textOf(user_id)}`, participant)
    if (member_id !== null) participantsById.set(`member ${textOf(member_id)}`, participant)
  }
  return ({ id, user_id }) =>
    participantsById.get(`user ${textOf(user_id)}`) ?? participantsById.get(`member ${textOf(id)}`)
}
