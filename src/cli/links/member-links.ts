import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { userLinkFields } from '../../config/link-template.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { readList } from '../lists/read-list.ts'
import type { Selection } from '../lists/selection.ts'
import type { Item } from '../output/views/views.ts'
import { isBlocked } from '../records/blocking.ts'
import { selectMembership } from '../records/membership-plan.ts'
import {
  blockedReason,
  findRoomProblem,
  noLink,
  type RoomLinks,
  readLinkFields,
  toLinkRow,
  toLinkValues,
} from './link-rows.ts'
import type { Link, LinkTemplate } from './link-template.ts'
import { toTextOrNull, type UserAccess, UserAccessReader } from './user-access.ts'

export interface LinkOptions {
  /** Requested columns that are fields of users or rooms, or the alias of the link column. */
  columns: readonly string[]
  template: LinkTemplate
  isReplay: boolean
}

/** Builder of links with the token of the member or, if the token is not returned, of the user. */
export class MemberLinks {
  readonly #context: Context
  readonly #client: Client
  readonly #options: LinkOptions
  readonly #selection: Selection | undefined
  readonly #full: FullRecords
  readonly #users: UserAccessReader

  constructor(context: Context, client: Client, options: LinkOptions, selection?: Selection) {
    this.#context = context
    this.#client = client
    this.#options = options
    this.#selection = selection
    this.#full = new FullRecords(context, 'listMembers', client)
    this.#users = new UserAccessReader(context, client, listUserFields(options))
  }

  /** Omits anonymous participants. */
  async ofMembers(room: Item): Promise<RoomLinks> {
    const members = (await this.#members(room)).filter((member) => toTextOrNull(member['user_id']) !== null)
    const isIncomplete = (member: Item) =>
      listUserFields(this.#options).length > 0 ||
      toTextOrNull(member['name']) === null ||
      (this.#options.template.uses('access_token') && toTextOrNull(member['access_token']) === null)
    const ids = members.filter(isIncomplete).map((member) => toText(member['user_id']))
    const users = await this.#users.read([...new Set(ids)])
    const problem = findRoomProblem(room, this.#options.isReplay)
    const links = members.map((member) =>
      this.#build(room, member, users.get(toText(member['user_id'])), problem),
    )
    const holdsUserTokens = links.some((link) => link.holdsUserTokens)
    return { rows: links.flatMap(({ rows }) => rows), holdsUserTokens }
  }

  /** Accepts a user who is not a member. */
  async ofUser(room: Item, user_id: string, user: UserAccess): Promise<RoomLinks> {
    const members = (await this.#members(room)).filter((each) => toText(each['user_id']) === user_id)
    const member = selectMembership(members)
    const problem =
      findRoomProblem(room, this.#options.isReplay) ??
      (member || isOpenToUsers(room) ? undefined : 'not a member of the room')
    return this.#build(room, member ?? { user_id }, user, problem)
  }

  #build(room: Item, member: Item, user: UserAccess | undefined, problem: string | undefined): RoomLinks {
    const { template, columns } = this.#options
    const link = this.#link(room, member, user, problem)
    const more = readLinkFields(columns, room, user?.fields)
    const usesToken = link.link !== null && template.uses('access_token')
    return {
      rows: [toLinkRow(room, describe(member, user), link, more)],
      holdsUserTokens: usesToken && toTextOrNull(member['access_token']) === null,
    }
  }

  async #members(room: Item): Promise<Item[]> {
    const room_id = toText(room['id'])
    const selection = this.#selection
    const full = selection?.full ?? this.#full
    const options = { all: true, client: this.#client, selection, isShared: true, full }
    const members: Item[] = []
    for await (const { items } of readList(this.#context, 'listMembers', { params: { room_id } }, options))
      for (const member of items) members.push(member)
    return members
  }

  #link(room: Item, member: Item, user: UserAccess | undefined, problem: string | undefined): Link {
    if (isBlocked(member)) return noLink(blockedReason)
    if (problem !== undefined) return noLink(problem)
    if (user?.exists === false) return noLink('no such user')
    const { template } = this.#options
    const more = readLinkFields(template.fields, room, user?.fields)
    return template.fill({
      ...toLinkValues(more),
      room_id: toText(room['id']),
      room_name: toTextOrNull(room['name']),
      ...describe(member, user),
      access_token: toTextOrNull(member['access_token']) ?? user?.access_token ?? null,
    })
  }
}

function listUserFields({ template, columns }: LinkOptions): string[] {
  return [...template.fields, ...columns].filter((field) => userLinkFields.includes(field))
}

function describe(member: Item, user: UserAccess | undefined) {
  return {
    user_id: toText(member['user_id']),
    name: toTextOrNull(member['name']) ?? user?.name ?? null,
    role: toTextOrNull(member['type']),
  }
}

/** Returns true if users can join the room without an invitation (API specification, “Room”). */
function isOpenToUsers(room: Item): boolean {
  return ['open', 'public'].includes(toText(room['type']).toLowerCase())
}
