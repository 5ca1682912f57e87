import { omitUndefined } from '../../../api/defined.ts'
import { isRecord } from '../../../api/guards.ts'
import { member } from '../../../api/resources.ts'
import { memberTypes } from '../../../api/vocabulary.ts'
import type { Client } from '../../../client/client.ts'
import type { Item } from '../../output/views/views.ts'
import { isBlocked, toBlockBody } from '../../records/blocking.ts'
import { showsValues } from '../../records/shown-values.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import { normalizeEnumValue } from '../adapter/columns.ts'
import { toId } from '../read/reader.ts'
import type { MemberRow } from './members.ts'

export type RoomInvitation = Omit<MemberRow, 'room_id'>

const readOnlyFields: readonly string[] = Object.entries(member.fields)
  .filter(([, field]) => !('write' in field))
  .map(([name]) => name)

/** Converts a saved member to an invitation, without null values and fields that the service sets. */
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

interface Inviter {
  invite(client: Client, room_id: string, invitations: readonly RoomInvitation[]): Promise<void>
  /** Counts members that stay blocked although their invitations do not request a block. */
  countBlocked(client: Client, room_id: string, invitations: readonly RoomInvitation[]): Promise<number>
}

/**
 * @param members adapter that finds existing members and caches them
 * @param unblock true to unblock members whose invitations do not set `is_blocked`
 */
export function createInviter(members: ImportAdapter<MemberRow>, unblock = false): Inviter {
  // A value that the service does not show counts as changed.
  const isUnchanged = (invitation: RoomInvitation, existing: Item) =>
    showsValues(existing, invitation) &&
    !(unblock && invitation.is_blocked === undefined && isBlocked(existing) !== false)
  return {
    async invite(client, room_id, invitations) {
      for (const invitation of invitations) {
        const row = { room_id, ...invitation }
        const existing = await members.find(client, row)
        if (existing && !isUnchanged(invitation, existing)) await members.overwrite(client, row, existing)
        else if (!existing) await members.completeCreated?.(client, row, await members.create(client, row))
      }
    },
    async countBlocked(client, room_id, invitations) {
      let count = 0
      for (const invitation of invitations) {
        const row = { room_id, ...invitation }
        const existing = await members.find(client, row)
        if (existing) count += (await members.countBlocked?.(client, row, existing)) ?? 0
      }
      return count
    },
  }
}
