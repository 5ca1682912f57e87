import { readResponseValue } from '../../api/json.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, NotFoundError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { readTotal } from '../lists/paging/list-total.ts'
import { readList, withoutNotices } from '../lists/read-list.ts'
import { findLikely, isNamed, type NameField } from '../matching/match.ts'
import { type NamedKind, parseReference } from '../matching/reference.ts'
import { type Item, views } from '../output/views/views.ts'

const maxListed = 10

export class UnknownNameError extends NotFoundError {
  constructor(
    readonly kind: NamedKind,
    readonly field: NameField,
    readonly text: string,
    /** All items of this kind; undefined if the lookup did not keep them. */
    readonly items?: readonly Item[],
  ) {
    const [one, many] = views[kind].noun
    const has = field === 'name' ? 'is named' : `has the ${field}`
    super(`no such ${one}: no ${one} ${has} “${text}”`, {
      hint: [`list the ${many} with: `, suggest([many, 'list'])],
    })
  }
}

/** Resolver of references to rooms and users. Looks up each name and email only once. */
export class ItemFinder {
  readonly #ids = new Map<string, Promise<string>>()
  #users: Promise<readonly Item[]> | undefined
  readonly #context: Context
  readonly #client: Client | undefined

  constructor(context: Context, client?: Client) {
    this.#context = context
    this.#client = client
  }

  /**
   * @throws {NotFoundError} if no item has the name or email
   * @throws {UsageError} for an empty or ambiguous name or email
   * @throws {ApiError} if the service does not return names or emails
   */
  idOf(kind: NamedKind, given: string): Promise<string> {
    const reference = parseReference(kind, given)
    if ('id' in reference) return Promise.resolve(reference.id)
    const key = `${kind} ${given}`
    const pending = this.#ids.get(key) ?? this.#find(kind, reference.field, reference.text)
    this.#ids.set(key, pending)
    return pending
  }

  /** @param missing receives unmatched names and emails; undefined to throw an error instead */
  async idsOf(kind: NamedKind, given: readonly string[], missing: string[] | undefined): Promise<string[]> {
    const ids: string[] = []
    for (const each of given)
      try {
        if (each === 'id:-') throw new UsageError('“id:-” is not an ID: “-” means standard input')
        ids.push(await this.idOf(kind, each))
      } catch (error) {
        if (!missing || !(error instanceof NotFoundError)) throw error
        missing.push(each)
      }
    return ids
  }

  async #find(kind: NamedKind, field: NameField, text: string): Promise<string> {
    if (text === '') throw new UsageError(`the ${field} after “${field}:” is empty`)
    const client = this.#client ?? (await this.#context.lookup())
    const found = kind === 'room' ? await findRooms(client, text) : await this.#findUsers(client, field, text)
    const [item, ...others] = found
    const searchedUsers = kind === 'user' ? await this.#users : undefined
    if (item === undefined) throw new UnknownNameError(kind, field, text, searchedUsers)
    if (others.length === 0) return toText(item[idFieldOf(kind)])
    throw new UsageError(describeNamesakes(found, text, { kind, field }), {
      hint: `pass one of these IDs instead of the ${field}`,
    })
  }

  /** Lists all users once, because the API cannot search users by name. */
  async #findUsers(client: Client, field: NameField, text: string): Promise<readonly Item[]> {
    this.#users ??= listUsers(this.#context, client)
    const users = await this.#users
    if (users.length > 0 && users.every((user) => user[field] === undefined))
      throw notShownError('user', field)
    return users.filter((user) => isNamed(user, text, field))
  }
}

const idFieldOf = (kind: NamedKind) => views[kind].id ?? 'id'

export function describeNamesakes(
  items: readonly Item[],
  text: string,
  { kind, field }: { kind: NamedKind; field: NameField } = { kind: 'room', field: 'name' },
): string {
  const ids = items.slice(0, maxListed).map((item) => toText(item[idFieldOf(kind)]))
  const count = items.length < maxListed ? `${items.length}` : `${maxListed} or more`
  const have = field === 'name' ? 'are named' : `have the ${field}`
  return `${count} ${views[kind].noun[1]} ${have} “${text}”: ${ids.join(', ')}`
}

async function listUsers(context: Context, client: Client): Promise<readonly Item[]> {
  const users: Item[] = []
  for await (const { items } of readList(context, 'listUsers', {}, { all: true, client }))
    for (const { user_id, name, email } of items) users.push({ user_id, name, email })
  return users
}

/** Finds rooms with a name. May return only the first ten, to save requests. */
export async function findRooms(client: Client, name: string): Promise<readonly Item[]> {
  const response = await client.call('listRooms', { query: { name, limit: maxListed } })
  const body = readResponseValue(response) as { rooms: Item[] }
  const { rooms } = body
  const isAll = rooms.length >= maxListed || (readTotal(body) ?? 0) <= rooms.length
  return isAll && rooms.every((room) => isNamed(room, name)) ? rooms : findRoomsByName(client, name)
}

/**
 * Selects rooms by name, because some services ignore the filter.
 * @throws {ApiError} if the service omits the name of a room
 */
export async function findRoomsByName(client: Client, name: string): Promise<Item[]> {
  const options = { all: true, selectsItems: true, what: `rooms named “${name}”` }
  const pages = readList(withoutNotices(client), 'listRooms', { query: { name } }, options)
  const found: Item[] = []
  for await (const { items } of pages) {
    if (items.some((room) => !Object.hasOwn(room, 'name'))) throw notShownError('room', 'name')
    found.push(...items.filter((room) => isNamed(room, name)))
  }
  return found
}

function notShownError(kind: NamedKind, field: NameField): ApiError {
  const [one, many] = views[kind].noun
  return new ApiError(
    `the service does not show the ${field}s of ${many}, so no ${one} can be found by its ${field}`,
  )
}

const maxSearched = 10_000

const searched = {
  room: { list: 'listRooms', fields: ['id', 'name'] },
  user: { list: 'listUsers', fields: ['user_id', 'email', 'name'] },
} as const

/** @param failed error for a name or an email; undefined for an ID */
export async function findLikelyItems(
  context: Context,
  kind: NamedKind,
  text: string,
  failed?: UnknownNameError,
): Promise<readonly Item[]> {
  const { list, fields } = searched[kind]
  const items = [...(failed?.items ?? [])]
  if (!failed?.items)
    for await (const page of readList(context, list, {}, { limit: maxSearched }))
      for (const item of page.items) items.push(item)
  return findLikely(items, text, failed ? [failed.field, ...fields] : fields)
}
