import { toText } from '../../api/to-text.ts'
import { memberTypes } from '../../api/vocabulary.ts'
import { ApiError, ConflictError, type MeetroomError } from '../../errors.ts'
import { type Item, readField, views } from '../output/views/views.ts'
import { isBlocked, toBlockBody } from './blocking.ts'
import { showsValues } from './shown-values.ts'

/** Treatment of a user who is already a member (`--if-exists`). */
export type IfMember = 'update' | 'skip' | 'fail'

interface DesiredMembership {
  values: Item
  /** `raise` never lowers the role. */
  ifExists: IfMember | 'raise'
  /** Treatment of a blocked member; by default, `values` alone decide. */
  ifBlocked?: 'unblock' | 'fail' | undefined
}

type MembershipPlan =
  | { action: 'add' }
  | { action: 'change'; member: Item; values: Item }
  | { action: 'leave'; member: Item; reason: string }
  | { action: 'refuse'; member: Item; error: MeetroomError }

/** Plans a membership. For `update`, a value that the service does not return counts as changed. */
export function planMembership(
  member: Item | undefined,
  { values: given, ifExists, ifBlocked }: DesiredMembership,
): MembershipPlan {
  if (!member) return { action: 'add' }
  if (ifBlocked === 'fail' && isBlocked(member) === true)
    return { action: 'refuse', member, error: new ApiError('the user is a member, but blocked') }
  const role = readRole(member)
  const reason = role === undefined ? 'already a member' : `already a member, as ${role}`
  if (ifExists === 'fail') return { action: 'refuse', member, error: new ConflictError(reason) }
  const values = ifBlocked === 'unblock' ? withDefaultUnblock(given, member) : given
  const isChange =
    ifExists === 'raise'
      ? isRaise(role, toText(values['type']))
      : ifExists === 'update' && !showsValues(member, values)
  return isChange ? { action: 'change', member, values } : { action: 'leave', member, reason }
}

/** Returns the membership with the highest role: of those not excluded, or of all if all are excluded. */
export function selectMembership(
  members: readonly Item[],
  isExcluded = (member: Item) => isBlocked(member) === true,
): Item | undefined {
  const usable = members.filter((member) => !isExcluded(member))
  const candidates = usable.length > 0 ? usable : members
  return candidates.toSorted((a, b) => rank(readRole(b)) - rank(readRole(a)))[0]
}

export function withDefaultUnblock<V extends { is_blocked?: unknown }>(values: V, member: Item) {
  return values.is_blocked === undefined && isBlocked(member) !== false
    ? { ...values, ...toBlockBody(false) }
    : values
}

/** Returns the role, with known roles in lower case; undefined if missing or null. */
export function readRole(member: Item): string | undefined {
  const role = readField(views.member, 'type', member)
  if (!role.known || role.value === null) return undefined
  const text = toText(role.value)
  return memberTypes.find((type) => type === text.toLowerCase()) ?? text
}

/** Roles from the fewest to the most rights. */
const ranks = ['monitor', 'guest', 'host']
const rank = (role: string | undefined) => ranks.indexOf(role ?? '')

/** Returns true if the change may raise the role and cannot lower the role. */
function isRaise(current: string | undefined, role: string): boolean {
  return current === undefined ? role === ranks.at(-1) : rank(current) >= 0 && rank(role) > rank(current)
}
