import { toText } from '../../../../api/to-text.ts'
import type { Client } from '../../../../client/client.ts'
import { isFatal, toFailure } from '../../../../client/outcome.ts'
import { MeetroomError, UsageError } from '../../../../errors.ts'
import type { SavedBlock } from '../../../backup/blocks.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { hasNoBlock, isBlocked } from '../../../lists/blocking.ts'
import { findItem } from '../../../lists/find-item.ts'
import { type Membership, MembershipSearch } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'
import { mapAhead } from '../../../run/map-ahead.ts'

export interface OffboardingChange {
  step: 'block' | 'unblock'
  /** True to delete each user after all blocks succeeded. */
  deletes: boolean
  /** True to delete users also if the service does not show whether their blocks took effect. */
  acceptsUnconfirmed?: boolean
  /** True to include rooms of every type. */
  force: boolean
  /** New file for the blocks of this run. */
  save?: string | undefined
  /** File with the blocks to lift; undefined for the memberships of the given users. */
  from?: string | undefined
}

/** Membership to block or unblock, with the reason if it is skipped. */
interface PlannedMembership {
  membership: Membership
  skipReason: string | undefined
}

export interface OffboardingPlan {
  /** Memberships in the order of the given users. */
  memberships: readonly PlannedMembership[]
  unread: readonly { room: Item; error: MeetroomError }[]
  /** Users to delete; undefined for a user who does not exist. */
  users: ReadonlyMap<string, Item | undefined>
}

/** @throws {MeetroomError} if the service does not respond or refuses the key, or no room can be read */
export async function planOffboarding(
  context: Context,
  ids: readonly string[],
  flags: PaceFlags,
  change: OffboardingChange,
): Promise<OffboardingPlan> {
  if (context.flags.curl)
    throw new UsageError('--curl sends nothing, so which rooms the users are in is unknown')
  if (change.from !== undefined) return planLifting(context, change.from, change)
  const search = await MembershipSearch.open(context, flags, { users: new Set(ids) })
  const users = change.deletes ? await readUsers(search.client, ids) : new Map()
  const found = new Map(ids.map((id): [string, PlannedMembership[]] => [id, []]))
  for await (const memberships of search.found())
    for (const membership of memberships)
      found.get(membership.user_id)?.push({ membership, skipReason: reasonToSkip(membership, change) })
  const error = await search.end()
  // If some rooms were read, their steps run, and unread rooms are reported.
  if (error && !search.isUsable) throw error
  return { memberships: [...found.values()].flat(), unread: search.unread, users }
}

/** Plans to lift the blocks of a file. A member who now belongs to another user is skipped. */
async function planLifting(
  context: Context,
  file: string,
  change: OffboardingChange,
): Promise<OffboardingPlan> {
  const client = await context.client()
  const { readBlocks } = await import('../../../backup/blocks.ts')
  const blocks = await readBlocks(context, file)
  const memberships: PlannedMembership[] = []
  const unread: { room: Item; error: MeetroomError }[] = []
  const read = ({ room_id, member_id }: SavedBlock) =>
    findItem(client, 'getMember', {
      params: { room_id: toText(room_id), member_id: toText(member_id) },
    }).catch((cause) => requireNotFatal(toFailure(cause).error))
  for await (const [block, member] of mapAhead(
    blocks,
    8,
    async (block) => [block, await read(block)] as const,
  )) {
    const { user_id, room_id: id, room_name: name, room_type: type, member_id } = block
    const room = { id, name, type }
    if (member instanceof MeetroomError) unread.push({ room, error: member })
    else {
      const membership = { user_id, room, member: member ?? { id: member_id }, lastSeen: null }
      const isOther = member !== undefined && toText(member['user_id']) !== user_id
      const lost = member ? (isOther ? 'the member belongs to another user' : undefined) : 'no such member'
      memberships.push({ membership, skipReason: lost ?? reasonToSkip(membership, change) })
    }
  }
  return { memberships, unread, users: new Map() }
}

function requireNotFatal(error: MeetroomError): MeetroomError {
  if (isFatal(error)) throw error
  return error
}

async function readUsers(client: Client, ids: readonly string[]): Promise<Map<string, Item | undefined>> {
  const users = new Map<string, Item | undefined>()
  const ask = async (user_id: string) =>
    [user_id, await findItem(client, 'getUser', { params: { user_id } })] as const
  for await (const [user_id, user] of mapAhead(ids, 8, ask)) users.set(user_id, user)
  return users
}

function reasonToSkip({ room, member }: Membership, { step, force }: OffboardingChange): string | undefined {
  const { type } = room
  if (hasNoBlock(type) && !force) return `no block in ${toText(type)} rooms`
  const told = isBlocked(member)
  // The state is unknown if the service omits `is_blocked`.
  if (told === undefined) return undefined
  if (step === 'block') return told ? 'already blocked' : undefined
  return told ? undefined : 'not blocked'
}
