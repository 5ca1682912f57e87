import { textOf } from '../../../../api/text-of.ts'
import { ConfirmationError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Item } from '../../../output/views/views.ts'
import type { OffboardingChange, OffboardingPlan } from './plan.ts'

/** Maximum number of users and of rooms that the prompt names. */
const mostNamed = 10

/** @throws {ConfirmationError} if it is not confirmed, or more members than `--max` would be blocked */
export async function confirmPlan(
  context: Context,
  plan: OffboardingPlan,
  max: number | undefined,
  change: OffboardingChange,
): Promise<void> {
  if (change.step === 'unblock' && max === undefined) return
  const todo = plan.memberships.filter(({ passed }) => passed === undefined)
  const users = new Set(todo.map(({ membership }) => membership.user_id))
  for (const [id, user] of plan.users) if (user) users.add(id)
  const count = change.deletes ? users.size : todo.length
  if (max !== undefined && count > max)
    throw new ConfirmationError(
      `that would affect ${count} ${change.deletes ? 'users' : 'members'}, and --max allows ${max}; nothing was done`,
    )
  if (change.step === 'unblock') return
  const rooms = new Map(todo.map(({ membership: { room } }) => [textOf(room['id']), room]))
  const named = inWords([...users].map((id) => nameOf(id, plan.users.get(id))))
  const who = users.size === 1 ? `user ${named}` : `${users.size} users ${named}`
  const where =
    rooms.size === 0
      ? ''
      : `${rooms.size === 1 ? 'room' : `${rooms.size} rooms`} ${inWords([...rooms].map(([id, room]) => nameOf(id, room)))}`
  await context.confirm({
    doing: change.deletes ? 'offboarding users' : 'blocking members',
    describe: async () =>
      change.deletes ? `Offboard ${who}: ${whatIsDone(plan, where)}` : `Block ${who} in ${where}`,
    count,
    max,
  })
}

function whatIsDone({ unread }: OffboardingPlan, where: string): string {
  const block = where && `block in ${where}`
  if (unread.length === 0) return [block, 'delete'].filter(Boolean).join(', then ')
  const count = unread.length === 1 ? '1 room' : `${unread.length} rooms`
  return [block, `delete nobody, as ${count} could not be read`].filter(Boolean).join(', and ')
}

function nameOf(id: string, item: Item | undefined): string {
  const name = textOf(item?.['name'])
  return name ? `“${name}” (${id})` : id
}

function inWords(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return `${names.slice(0, mostNamed).join(', ')}${more}`
}
