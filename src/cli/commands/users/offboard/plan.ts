import { toText } from '../../../../api/to-text.ts'
import type { MeetroomError } from '../../../../errors.ts'
import type { SavedBlock } from '../../../backup/blocks.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { type Membership, MembershipSearch } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'
import { hasNoBlock, isBlocked } from '../../../records/blocking.ts'
import { findRecord } from '../../../records/records.ts'
import { openRun } from '../../../run/run.ts'
import { type Addition, AdditionPlan } from '../../../targets/add-to-rooms.ts'
import type { Targets } from '../../../targets/read-targets.ts'

export interface OffboardingChange {
  step: 'block' | 'unblock'
  /** True to delete each user whose blocks all succeeded. */
  deletes: boolean
  /** True to delete users even if the service does not confirm their blocks. */
  acceptsUnconfirmed?: boolean
  /** True to include rooms of every type. */
  force: boolean
  save?: string | undefined
  /** Path of a file with the members to unblock. */
  from?: string | undefined
  recheck?: Targets['recheck']
  /** Addition of another user to rooms, performed before the first block. */
  handOver?: Addition | undefined
}

interface PlannedMembership {
  membership: Membership
  skipReason: string | undefined
}

export interface OffboardingPlan {
  memberships: readonly PlannedMembership[]
  unread: readonly { room: Item; error: MeetroomError }[]
  /** Users to delete, by ID; undefined for a user who does not exist. */
  users: ReadonlyMap<string, Item | undefined>
  additions?: AdditionPlan | undefined
}

/** @throws {MeetroomError} after any failure other than some unreadable rooms, which the plan lists */
export async function planOffboarding(
  context: Context,
  ids: readonly string[],
  flags: PaceFlags,
  change: OffboardingChange,
): Promise<OffboardingPlan> {
  context.refuseCurl('the rooms of the users')
  if (change.from !== undefined) return planLifting(context, change.from, flags, change)
  const { handOver } = change
  const others = handOver ? [handOver.user_id] : []
  const search = await MembershipSearch.open(context, flags, { users: new Set([...ids, ...others]) })
  const additions = handOver && new AdditionPlan(context, handOver, search)
  const users = change.deletes ? await readUsers(context, ids, flags) : new Map()
  const found = new Map(ids.map((id): [string, PlannedMembership[]] => [id, []]))
  for await (const searched of search.searched()) {
    additions?.add(searched)
    for (const membership of searched.memberships)
      found.get(membership.user_id)?.push({ membership, skipReason: reasonToSkip(membership, change) })
  }
  const error = await search.end()
  // Keeps the steps of readable rooms even if other rooms could not be read.
  if (error && !search.isUsable) throw error
  return { memberships: [...found.values()].flat(), unread: search.unread, users, additions }
}

async function planLifting(
  context: Context,
  file: string,
  { concurrency, rate }: PaceFlags,
  change: OffboardingChange,
): Promise<OffboardingPlan> {
  const { readBlocks } = await import('../../../backup/blocks.ts')
  const blocks = await readBlocks(context, file)
  const run = await openRun(context, { concurrency, rate }, { total: blocks.length })
  const memberships: PlannedMembership[] = []
  const unread: { room: Item; error: MeetroomError }[] = []
  const read = async ({ room_id, member_id }: SavedBlock) => {
    const ref = { kind: 'member', id: toText(member_id), room_id: toText(room_id) } as const
    return { status: 'ok', value: await findRecord(run.client, ref) } as const
  }
  for await (const [block, outcome] of run.each(blocks, read)) {
    if (run.fatal) throw run.fatal
    context.interrupt.throwIfAborted()
    const { user_id, room_id: id, room_name: name, room_type: type, member_id } = block
    const room = { id, name, type }
    if (outcome.status !== 'ok')
      unread.push({ room, error: 'error' in outcome ? outcome.error : run.stopReason })
    else {
      const member = outcome.value
      const membership = { user_id, room, member: member ?? { id: member_id }, lastSeen: null }
      const isOther = member !== undefined && toText(member['user_id']) !== user_id
      const lost = member ? (isOther ? 'the member belongs to another user' : undefined) : 'no such member'
      memberships.push({ membership, skipReason: lost ?? reasonToSkip(membership, change) })
    }
  }
  return { memberships, unread, users: new Map() }
}

async function readUsers(
  context: Context,
  ids: readonly string[],
  { concurrency, rate }: PaceFlags,
): Promise<Map<string, Item | undefined>> {
  const run = await openRun(context, { concurrency, rate }, { total: ids.length })
  const users = new Map<string, Item | undefined>()
  const read = async (user_id: string) =>
    [user_id, await findRecord(run.client, { kind: 'user', id: user_id })] as const
  for await (const [user_id, user] of run.read(ids, read)) users.set(user_id, user)
  return users
}

function reasonToSkip({ room, member }: Membership, { step, force }: OffboardingChange): string | undefined {
  const { type } = room
  if (hasNoBlock(type) && !force) return `no block in ${toText(type)} rooms`
  const told = isBlocked(member)
  // `is_blocked` has no readable value.
  if (told === undefined) return undefined
  if (step === 'block') return told ? 'already blocked' : undefined
  return told ? undefined : 'not blocked'
}
