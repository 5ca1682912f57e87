import type { Context } from '../../../kernel/context.ts'
import { isBlocked } from '../../../records/blocking.ts'
import { readRecord } from '../../../records/records.ts'
import { type Addition, selectMembershipOf } from '../../../targets/add-to-rooms.ts'
import { createHandOver } from '../hand-over/hand-over-rooms.ts'
import { type AllRoomsFlags, runOffboarding } from './run-offboarding.ts'

interface MergeFlags extends AllRoomsFlags {
  role?: string
  acceptUnconfirmedBlocks?: boolean
}

/** @throws {UsageError} if both are the same user */
export async function mergeUsers(
  context: Context,
  from: string,
  to: string,
  { role, acceptUnconfirmedBlocks = false, ...flags }: MergeFlags,
): Promise<void> {
  const handOver = createHandOver({ from, to }, role)
  if (!context.flags.curl) await readRecord(await context.client(), { kind: 'user', id: to })
  await runOffboarding(context, [from], flags, {
    ...{ step: 'block', deletes: true, force: false },
    acceptsUnconfirmed: acceptUnconfirmedBlocks,
    handOver: { ...handOver, roleIn: withoutBlocked(context, from, handOver) },
  })
}

/** Skips rooms where the user is blocked, because the other account would circumvent the block. */
function withoutBlocked(context: Context, from: string, { roleIn }: Addition): Addition['roleIn'] {
  return (memberships) => {
    const member = selectMembershipOf(from, memberships)
    if (!member || isBlocked(member) !== true) return roleIn(memberships)
    const status = context.flags.dryRun ? 'would_skip' : 'skipped'
    return { status, reason: `${from} is blocked in this room` }
  }
}
