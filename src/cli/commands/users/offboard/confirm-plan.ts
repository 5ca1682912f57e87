import { counted } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Item } from '../../../output/views/views.ts'
import { describeItems, labelItem } from '../../../requests/describe-items.ts'
import { confirmItems } from '../../../run/confirm-items.ts'
import type { OffboardingChange, OffboardingPlan } from './plan.ts'

/** @throws {ConfirmationError} if the plan is not confirmed, or if it would block more members than `--max` */
export async function confirmPlan(
  context: Context,
  plan: OffboardingPlan,
  max: number | undefined,
  change: OffboardingChange,
): Promise<void> {
  const todo = plan.memberships.filter(({ skipReason }) => skipReason === undefined)
  const users = new Set(todo.map(({ membership }) => membership.user_id))
  for (const [id, user] of plan.users) if (user) users.add(id)
  const count = change.deletes ? users.size : todo.length
  const rooms = new Map(todo.map(({ membership: { room } }) => [toText(room['id']), room]))
  const who = describe('user', new Map([...users].map((id) => [id, plan.users.get(id)])))
  const where = rooms.size === 0 ? '' : describe('room', rooms)
  const question = {
    activity: change.deletes ? 'offboarding users' : `${change.step}ing members`,
    describe: async () =>
      change.deletes
        ? `Offboard ${who}: ${describeChange(plan, where)}`
        : `${change.step} ${who} in ${where}`,
  }
  const items = { count, nouns: change.deletes ? 'users' : 'members', max }
  // A file of blocks names the members.
  await confirmItems(context, items, change.from === undefined ? question : undefined)
}

function describeChange({ unread }: OffboardingPlan, where: string): string {
  const block = where && `block in ${where}`
  if (unread.length === 0) return [block, 'delete'].filter(Boolean).join(', then ')
  return [block, `delete no user, because ${counted(unread.length, 'room')} could not be read`]
    .filter(Boolean)
    .join(', and ')
}

function describe(noun: string, items: ReadonlyMap<string, Item | undefined>): string {
  const labels = [...items].map(([id, item]) => labelItem(id, toText(item?.['name'])))
  return describeItems([noun, `${noun}s`], labels)
}
