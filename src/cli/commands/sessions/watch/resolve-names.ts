import { readAnswer } from '../../../../api/json.ts'
import { textOf } from '../../../../api/text-of.ts'
import type { Answer, Client } from '../../../../client/client.ts'
import { MeetroomError, NetworkError, WrongBaseUrlError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { type NamelessPerson, NameResolver } from '../../../lists/user-names.ts'
import type { Item } from '../../../output/views/views.ts'

/** Maximum number of people who are looked up one by one. For more, lists are read. */
const few = 5

/** Looks up the names of people, because sessions have none in the API specification. */
export async function resolveNames(
  context: Context,
  client: Client,
  room_id: string,
  people: readonly NamelessPerson[],
): Promise<void> {
  const nameless = people.filter(({ name }) => name === null)
  if (nameless.length > few)
    // Not reused, because its cache may be days old at the next call.
    await unlessRefused(
      new NameResolver(context, client).complete(room_id, nameless, { names: true, absent: false }),
    )
  else for (const person of nameless) await nameOne(client, room_id, person)
}

async function nameOne(client: Client, room_id: string, person: NamelessPerson): Promise<void> {
  if (person.member_id !== null) {
    const params = { room_id, member_id: textOf(person.member_id) }
    const member = await itemOf('member', client.call('getMember', { params }))
    person.user_id ??= member['user_id'] ?? null
    person.name = member['name'] ?? null
  }
  if (person.name !== null || person.user_id === null) return
  const user = await itemOf('user', client.call('getUser', { params: { user_id: textOf(person.user_id) } }))
  person.name = user['name'] ?? null
}

async function itemOf(key: 'member' | 'user', asked: Promise<Answer>): Promise<Item> {
  const answer = await unlessRefused(asked)
  return answer ? ((readAnswer(answer) as Record<string, Item>)[key] ?? {}) : {}
}

/** Returns undefined if a name cannot be read. Lost connections are thrown. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof MeetroomError && error.code !== 'interrupted' && !isAway(error)) return undefined
    throw error
  }
}

/** Returns true if the service is down. A 500 for a single user recurs at every poll. */
function isAway(error: MeetroomError): boolean {
  return error.retryable || error instanceof NetworkError || error instanceof WrongBaseUrlError
}
