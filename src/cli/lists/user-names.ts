import { addTo } from '../../api/group-by.ts'
import { parseTimestamp } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from '../records/blocking.ts'
import { FullRecords } from './full-records.ts'
import { readList } from './read-list.ts'
import { listMembersOf } from './user-members.ts'

interface NameOptions {
  names: boolean
  roles?: boolean
  absent: boolean
  invitations?: boolean
  includeBlocked?: boolean
}

export interface UnnamedPerson {
  user_id: unknown
  member_id: unknown
  /** Name of the user or member; undefined or null if not found. */
  name?: unknown
  /** True if the member is blocked; undefined if no member was found. */
  blocked?: boolean
  /** Role of the member; undefined if no member was found, null if unknown. */
  role?: unknown
  /** Time of the invitation, in milliseconds since 1970; undefined if unknown. */
  invitedAt?: number | undefined
}

/** Invited user who never connected. */
export type Invitee = Required<Omit<UnnamedPerson, 'member_id'>>

/**
 * Resolver of participant names from members or users. The API specification lists no names for members
 * (“Member”).
 */
export class NameResolver {
  readonly #full: FullRecords
  /** True if members have names; undefined until a member with a user is read. */
  #hasMemberNames: boolean | undefined
  #users: Promise<ReadonlyMap<string, Item>> | undefined
  readonly #context: Context
  readonly #client: Client

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
    this.#full = new FullRecords(context, 'listMembers', client)
  }

  /** Adds the needed data to participants. With `needs.absent`, returns invited users who never connected. */
  async complete(
    room_id: string,
    participants: readonly UnnamedPerson[],
    needs: NameOptions,
  ): Promise<Invitee[]> {
    const unnamed = needs.names ? participants.filter(({ name }) => name === undefined || name === null) : []
    const wantsMembers = unnamed.length > 0 && this.#hasMemberNames !== false
    const absent: Invitee[] = []
    const undated: DatedPerson[] = []
    const wantsRoles = needs.roles === true && participants.length > 0
    if (needs.absent || wantsRoles || wantsMembers) {
      const participantsOf = createFinder(participants)
      for await (const member of this.members(room_id, needs.absent)) {
        const { user_id = null, name, type: role = null } = member
        const found = participantsOf(member)
        const blocked = isBlocked(member) ?? false
        const invitedAt = readTime(member)
        if (user_id !== null) this.#hasMemberNames ||= name !== undefined
        for (const participant of found) {
          // A session may lack the user of its member.
          participant.user_id ??= user_id
          if (needs.names) participant.name ??= name
          participant.blocked = blocked
          participant.role = role
          participant.invitedAt = invitedAt
          if (invitedAt === undefined) undated.push(participant)
        }
        if (found.length === 0 && needs.absent && user_id !== null && (needs.includeBlocked || !blocked)) {
          const invitee = { user_id, name: name ?? null, role, blocked, invitedAt }
          absent.push(invitee)
          if (invitedAt === undefined) undated.push(invitee)
        }
      }
    }
    if (needs.invitations) await this.#dateByUser(undated)
    if (needs.names && this.#hasMemberNames === false) await this.#setUserNames([...unnamed, ...absent])
    return absent
  }

  members(room_id: string, withUsers: boolean): AsyncGenerator<Item> {
    return listMembersOf(this.#context, room_id, { client: this.#client, full: withUsers && this.#full })
  }

  async #setUserNames(people: readonly { user_id: unknown; name?: unknown }[]): Promise<void> {
    const unnamed = people.filter(({ user_id, name = null }) => user_id !== null && name === null)
    if (unnamed.length === 0) return
    const users = await this.#readUsers()
    for (const person of unnamed) person.name = users.get(toText(person.user_id))?.['name'] ?? null
  }

  /** Uses the creation time of the user as the invitation time. */
  async #dateByUser(people: readonly DatedPerson[]): Promise<void> {
    const known = people.filter(({ user_id }) => user_id !== null)
    if (known.length === 0) return
    const users = await this.#readUsers()
    for (const person of known) person.invitedAt = readTime(users.get(toText(person.user_id)) ?? {})
  }

  #readUsers(): Promise<ReadonlyMap<string, Item>> {
    this.#users ??= this.#listUsers()
    return this.#users
  }

  async #listUsers(): Promise<ReadonlyMap<string, Item>> {
    const users = new Map<string, Item>()
    const options = { all: true, client: this.#client }
    for await (const { items } of readList(this.#context, 'listUsers', {}, options))
      for (const { user_id, name, created_at } of items) users.set(toText(user_id), { name, created_at })
    return users
  }
}

type DatedPerson = Pick<UnnamedPerson, 'user_id' | 'invitedAt'>

const readTime = ({ created_at }: Item): number | undefined => parseTimestamp(created_at) ?? undefined

function createFinder(participants: readonly UnnamedPerson[]): (member: Item) => readonly UnnamedPerson[] {
  const participantsById = new Map<string, UnnamedPerson[]>()
  for (const participant of participants) {
    const { user_id, member_id } = participant
    if (user_id !== null) addTo(participantsById, `user ${toText(user_id)}`, participant)
    if (member_id !== null) addTo(participantsById, `member ${toText(member_id)}`, participant)
  }
  return ({ id, user_id }) =>
    participantsById.get(`user ${toText(user_id)}`) ?? participantsById.get(`member ${toText(id)}`) ?? []
}
