import type { Client } from '../../api/client.ts'
import { readAnswer } from '../../api/json.ts'
import { type MeetroomError, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaceFlags } from '../flags.ts'
import { isBlocked, lacksBlock } from '../operations/blocking.ts'
import { type Membership, MembershipSearch } from '../operations/memberships.ts'
import { orUndefined } from '../operations/one.ts'
import { plainText } from '../output/text.ts'
import type { Item } from '../output/views.ts'
import { mapAhead } from '../pool/ahead.ts'

/** What is done to users in all rooms. */
export interface Change {
  step: 'block' | 'unblock'
  /** Deletes each user who is blocked wherever that is possible. */
  deletes: boolean
  /** Tries it in rooms of every type. */
  force: boolean
}

/** One membership, and why nothing is to be done about it; undefined where something is. */
export interface Planned {
  membership: Membership
  passed: string | undefined
}

/** What there is to do about users. */
export interface Plan {
  /** User by user, as they were given. */
  memberships: readonly Planned[]
  /** The rooms whose members could not be listed. */
  unread: readonly { room: Item; error: MeetroomError }[]
  /** The users, undefined for one who does not exist; empty where they are not to be deleted. */
  users: ReadonlyMap<string, Item | undefined>
}

/**
 * Finds what there is to do; changes nothing.
 * @throws {MeetroomError} when the service does not answer, refuses the key, or no room can be read
 */
export async function makePlan(
  context: Context,
  ids: readonly string[],
  flags: PaceFlags,
  change: Change,
): Promise<Plan> {
  if (context.flags.curl)
    throw new UsageError('--curl sends nothing, so which rooms the users are in is unknown')
  const search = await MembershipSearch.open(context, flags, { users: new Set(ids) })
  const users = change.deletes ? await lookUp(search.client, ids) : new Map()
  const found = new Map(ids.map((id): [string, Planned[]] => [id, []]))
  for await (const memberships of search.found())
    for (const membership of memberships)
      found.get(membership.user_id)?.push({ membership, passed: reasonToPass(membership, change) })
  const error = await search.end()
  // With some rooms read, what can be done is done; what cannot is part of the report.
  if (error && !search.isUsable) throw error
  return { memberships: [...found.values()].flat(), unread: search.unread, users }
}

async function lookUp(client: Client, ids: readonly string[]): Promise<Map<string, Item | undefined>> {
  const users = new Map<string, Item | undefined>()
  const ask = async (user_id: string) => {
    const answer = await orUndefined(client.call('getUser', { params: { user_id } }))
    return [user_id, answer && ((readAnswer(answer) as Item)['user'] as Item)] as const
  }
  for await (const [user_id, user] of mapAhead(ids, 8, ask)) users.set(user_id, user)
  return users
}

function reasonToPass({ room, member }: Membership, { step, force }: Change): string | undefined {
  const { type } = room
  if (lacksBlock(type) && !force) return `no block in ${plainText(type)} rooms`
  const told = isBlocked(member)
  // What the service does not tell may be different.
  if (told === undefined) return undefined
  if (step === 'block') return told ? 'already blocked' : undefined
  return told ? undefined : 'not blocked'
}
