import { omitUndefined } from '../../../api/defined.ts'
import { member } from '../../../api/resources.ts'
import { memberTypes } from '../../../api/vocabulary.ts'
import type { Client } from '../../../client/client.ts'
import { blockedBody, isBlocked } from '../../lists/blocking.ts'
import { hasValues } from '../adapter/adapter.ts'
import { choiceOf } from '../adapter/columns.ts'
import { asId } from '../read/reader.ts'
import { createMembers, type MemberRow } from './members.ts'

export type RoomInvitations = Omit<MemberRow, 'room_id'>

const made: readonly string[] = Object.entries(member.fields)
  .filter(([, field]) => !('write' in field))
  .map(([name]) => name)

/** Converts a saved member to an invitation, without null values and fields that the service sets. */
export function readInvitations(saved: unknown): unknown {
  if (typeof saved !== 'object' || saved === null || Array.isArray(saved)) return saved
  // Some services send text or numbers for booleans.
  const told = omitUndefined(blockedBody(isBlocked(saved)))
  return Object.fromEntries(
    Object.entries({ ...saved, ...told })
      .filter(([field, value]) => value !== null && !made.includes(field))
      .map(([field, value]) => [field, field === 'type' ? choiceOf(memberTypes, value) : asId(field, value)]),
  )
}

export type Invitation = (
  client: Client,
  room_id: string,
  invited: readonly RoomInvitations[],
) => Promise<void>

/** @param members finds existing members, with its cache */
export function inviteWith(members = createMembers()): Invitation {
  return async (client, room_id, invited) => {
    for (const one of invited) {
      const row = { room_id, ...one }
      const existing = await members.find(client, row)
      // Values that the service does not show may differ.
      const isTold =
        existing && Object.keys(row).every((field) => Object.hasOwn({ room_id, ...existing }, field))
      if (existing && !(isTold && hasValues(existing, row))) await members.overwrite(client, row, existing)
      else if (!existing) await members.finish?.(client, row, await members.create(client, row))
    }
  }
}
