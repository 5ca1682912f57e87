import { readResponseValue } from '../../../../api/json.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Client } from '../../../../client/client.ts'
import type { ResponseBody } from '../../../../client/parsed-response.ts'
import { MeetroomError, NetworkError, WrongBaseUrlError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { NameResolver, type UnnamedPerson } from '../../../lists/user-names.ts'
import type { Item } from '../../../output/views/views.ts'

/** Maximum number of people to look up individually. For more people, lists are read. */
const maxSingleLookups = 5

/** Looks up the names of people, because sessions in the API specification contain no names. */
export async function resolveNames(
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
    const params = { room_id, member_id: toText(person.member_id) }
    const member = await readItem('member', client.call('getMember', { params }))
    person.user_id ??= member['user_id'] ?? null
    person.name = member['name'] ?? null
  }
  if (person.name !== null || person.user_id === null) return
  const user = await readItem('user', client.call('getUser', { params: { user_id: toText(person.user_id) } }))
  person.name = user['name'] ?? null
}

async function readItem(key: 'member' | 'user', asked: Promise<ResponseBody>): Promise<Item> {
  const answer = await undefinedIfRefused(asked)
  return answer ? ((readResponseValue(answer) as Record<string, Item>)[key] ?? {}) : {}
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
