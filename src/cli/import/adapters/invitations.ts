import { omitUndefined } from '../../../api/defined.ts'
import { isRecord } from '../../../api/guards.ts'
import { member } from '../../../api/resources.ts'
import { memberTypes } from '../../../api/vocabulary.ts'
import type { Client } from '../../../client/client.ts'
import { isBlocked, toBlockBody } from '../../records/blocking.ts'
import { planMembership } from '../../records/membership-plan.ts'
import { normalizeEnumValue } from '../adapter/adapter.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { toId } from '../read/reader.ts'
import { createMembers, type MemberRow } from './members.ts'

export type RoomInvitation = Omit<MemberRow, 'room_id'>

const readOnlyFields: readonly string[] = Object.entries(member.fields)
  .filter(([, field]) => !('write' in field))
  .map(([name]) => name)

/** Converts a saved member to an invitation, without null values and read-only fields. */
export function readInvitation(savedMember: unknown): unknown {
  if (!isRecord(savedMember)) return savedMember
  // Some services send text or numbers for booleans.
  const block = omitUndefined(toBlockBody(isBlocked(savedMember)))
  return Object.fromEntries(
    Object.entries({ ...savedMember, ...block })
      .filter(([field, value]) => value !== null && !readOnlyFields.includes(field))
      .map(([field, value]) => [
        field,
        field === 'type' ? normalizeEnumValue(memberTypes, value) : toId(field, value),
      ]),
  )
}

export function createInviter(flags: Pick<ImportFlags, 'unblock'> = {}) {
  const members = createMembers(flags)
  const ifBlocked = flags.unblock ? 'unblock' : undefined
  return {
    members,
    async invite(client: Client, room_id: string, invitations: readonly RoomInvitation[]) {
      for (const invitation of invitations) {
        const row = { room_id, ...invitation }
        const existing = await members.find(client, row)
        const plan = planMembership(existing, { values: invitation, ifExists: 'update', ifBlocked })
        if (plan.action === 'change') await members.overwrite(client, row, plan.member)
        if (plan.action === 'add')
          await members.completeCreated?.(client, row, await members.create(client, row))
      }
    },
    async countBlocked(client: Client, room_id: string, invitations: readonly RoomInvitation[]) {
      let count = 0
      for (const invitation of invitations) {
        const row = { room_id, ...invitation }
        const existing = await members.find(client, row)
        const blocked = existing ? await members.countBlocked?.(client, row, existing) : 0
        count += blocked ?? 0
      }
      return count
    },
  }
}
