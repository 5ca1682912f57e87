import type { Draft } from '../../api/body.ts'
import { omitUndefined } from '../../api/defined.ts'
import type { MemberType } from '../../api/vocabulary.ts'
import { forbidden, invalid } from '../common/faults.ts'
import { requireMember, requireRoom, toMember } from '../records/records.ts'
import { mergeUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import { createMemberToken, findUserMember } from '../sessions/admission.ts'
import { closeReasons } from '../sessions/session-control.ts'
import { hasListedEnds } from '../store/ended.ts'
import { listPage } from '../store/listing.ts'
import type { MemberRow, UserRow } from '../store/rows.ts'
import { requireCreatable } from './changes.ts'
import type { HandlerContext, Handlers } from './handler-context.ts'

interface Invitation {
  user_id: string
  type?: MemberType | undefined
  name?: string | undefined
}

/**
 * Adds a user to a room, or updates the existing member.
 * @throws {Fault} if there is no such user, or `requireCreatable` or `packUnlisted` refuses the invitation
 */
export function invite(
  context: HandlerContext,
  roomId: string,
  invitation: Invitation,
  field: string,
): MemberRow {
  const { store, now, newId, newToken } = context
  const { user_id, type, name } = invitation
  requireCreatable('member', invitation)
  const user = store.one<UserRow>('SELECT * FROM users WHERE user_id = ?', user_id)
  if (!user) throw invalid(`${field}: no such user`)
  const unlisted = pickUnlisted('member', invitation)
  const member = findUserMember(store, roomId, user_id)
  if (member)
    return updateRow(context, member, { type, name, unlisted: mergeUnlisted(member.unlisted, unlisted) })
  const id = newId()
  const time = now()
  store.insert('members', {
    ...{ id, user_id, room_id: roomId, created_at: time, updated_at: time },
    type: type ?? user.default_member_type,
    name: name ?? user.name,
    access_token: createMemberToken(id, newToken()),
    unlisted: packUnlisted(unlisted),
  })
  return requireMember(store, roomId, id)
}

function updateRow(
  { store, now, sessionControl }: HandlerContext,
  member: MemberRow,
  values: Draft<Partial<Pick<MemberRow, 'name' | 'type' | 'is_blocked' | 'unlisted'>>>,
): MemberRow {
  const { name, type, is_blocked, unlisted } = { ...member, ...omitUndefined(values) }
  store.update('members', { id: member.id }, { name, type, is_blocked, unlisted, updated_at: now() })
  sessionControl.setType(member.room_id, member.id, type)
  if (name !== member.name) sessionControl.refresh(member.room_id)
  return requireMember(store, member.room_id, member.id)
}

/** Reads a name, which the API specification does not list for `addMember`. */
function readName(body: object): string | undefined {
  const name = 'name' in body ? body.name : undefined
  if (name === undefined || name === null) return undefined
  if (typeof name !== 'string') throw invalid('name must be a string')
  return name
}

export const memberHandlers = {
  listMembers({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    // The view is slower, and needed only while the deletion of members is unfinished.
    const isDeleting = store.one(`SELECT 1 FROM sweeps WHERE kind = 'user' LIMIT 1`) !== undefined
    const table = isDeleting || hasListedEnds(store) ? 'present_members' : 'members'
    const filters = [['room_id = ?', params.room_id]] as const
    const { rows, paging } = listPage<MemberRow>(store, { table, filters }, query)
    return { members: rows.map(toMember), paging }
  },

  addMember(context, { params, body }) {
    requireRoom(context.store, params.room_id)
    const invitation = { ...body, name: readName(body) }
    return { member: toMember(invite(context, params.room_id, invitation, 'user_id')) }
  },

  getMember({ store }, { params }) {
    return { member: toMember(requireMember(store, params.room_id, params.member_id)) }
  },

  updateMember(context, { params, body }) {
    const { store, sessionControl } = context
    const member = requireMember(store, params.room_id, params.member_id)
    // `is_blocked` applies only to private rooms (API specification, “Endpoints”, rule 2).
    if (body.is_blocked && requireRoom(store, params.room_id).type !== 'private')
      throw forbidden('is_blocked is supported only in rooms of type private')
    if (body.is_blocked)
      sessionControl.end(params.room_id, closeReasons.blocked, ({ memberId }) => memberId === member.id)
    const { name, type, is_blocked } = body
    const updated = updateRow(context, member, {
      ...{ name, type, is_blocked: is_blocked === undefined ? undefined : Number(is_blocked) },
      unlisted: mergeUnlisted(member.unlisted, pickUnlisted('member', body)),
    })
    return { member: toMember(updated) }
  },
} satisfies Partial<Handlers>
