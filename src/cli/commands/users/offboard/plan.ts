import { readAnswer } from '../../../../api/json.ts'
import type { Client } from '../../../../client/client.ts'
import { type MeetroomError, UsageError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { isBlocked, lacksBlock } from '../../../lists/blocking.ts'
import { type Membership, MembershipSearch } from '../../../lists/memberships.ts'
import { undefinedIfNotFound } from '../../../lists/run-one.ts'
import { plainText } from '../../../output/views/text.ts'
import type { Item } from '../../../output/views/views.ts'
import { mapAhead } from '../../../pool/map-ahead.ts'

/** What is done to users in all rooms. */
export interface OffboardingChange {
  step: 'block' | 'unblock'
  /** Deletes each user who is blocked wherever that is possible. */
  deletes: boolean
  /** Tries it in rooms of every type. */
  force: boolean
}

/** One membership, and why nothing is to be done about it; undefined where something is. */
export interface PlannedMembership {
  membership: Membership
  passed: string | undefined
}

/** What there is to do about users. */
export interface OffboardingPlan {
  /** User by user, as they were given. */
  memberships: readonly PlannedMembership[]
  /** The rooms whose members could not be listed. */
  unread: readonly { room: Item; error: MeetroomError }[]
  /** The users, undefined for one who does not exist; empty where they are not to be deleted. */
  users: ReadonlyMap<string, Item | undefined>
}

/**
 * Finds what there is to do; changes nothing.
 * @throws {MeetroomError} when the service does not answer, refuses the key, or no room can be read
 */
export async function planOffboarding(
  context: Context,
  ids: readonly string[],
  flags: PaceFlags,
  change: OffboardingChange,
): Promise<OffboardingPlan> {
  if (context.flags.curl)
    throw new UsageError('--curl sends nothing, so which rooms the users are in is unknown')
  const search = await MembershipSearch.open(context, flags, { users: new Set(ids) })
  const users = change.deletes ? await lookUp(search.client, ids) : new Map()
  const found = new Map(ids.map((id): [string, PlannedMembership[]] => [id, []]))
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
    const answer = await undefinedIfNotFound(client.call('getUser', { params: { user_id } }))
    return [user_id, answer && ((readAnswer(answer) as Item)['user'] as Item)] as const
  }
  for await (const [user_id, user] of mapAhead(ids, 8, ask)) users.set(user_id, user)
  return users
}

function reasonToPass({ room, member }: Membership, { step, force }: OffboardingChange): string | undefined {
  const { type } = room
  if (lacksBlock(type) && !force) return `no block in ${plainText(type)} rooms`
  const told = isBlocked(member)
  // What the service does not tell may be different.
  if (told === undefined) return undefined
  if (step === 'block') return told ? 'already blocked' : undefined
  return told ? undefined : 'not blocked'
}
