import { join } from 'node:path'
import { counted } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import { resolveOutput } from '../../../../files/file-kind.ts'
import { requireNewFile } from '../../../backup/backup-file.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { throwNoMembers } from '../../../lists/user-members.ts'
import type { Page } from '../../../output/views/page.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import type { Item } from '../../../output/views/views.ts'
import type { Backup, DeletionTargets } from '../../../requests/backup.ts'
import { describeItems, labelItem } from '../../../requests/describe-items.ts'
import { findDataDir } from '../../../requests/find-service.ts'
import { confirmItems } from '../../../run/confirm-items.ts'
import { printRun } from '../../../run/print-run.ts'
import { describeRooms, describeUser } from '../../../targets/add-to-rooms.ts'
import { type OffboardingChange, type OffboardingPlan, planOffboarding } from './plan.ts'
import { OffboardingRun } from './run.ts'

export interface AllRoomsFlags extends PaceFlags {
  max?: number
  ignoreNotFound?: boolean
}

/**
 * Deletes a user only after all blocks of the user succeeded.
 * @throws {MeetroomError} for an unconfirmed plan or a failed step
 */
export async function runOffboarding(
  context: Context,
  ids: readonly string[],
  flags: AllRoomsFlags,
  change: OffboardingChange,
): Promise<void> {
  const printer = await context.printer()
  const view = { ...rowKinds.steps, id: change.deletes ? 'user_id' : 'member_id' }
  printer.check(view, true)
  const saver = change.deletes ? await openBackup(context, change) : undefined
  await saver?.check()
  const { save } = change
  if (save !== undefined) await requireNewFile(resolveOutput(save, context.host, 'saved.ndjson'))
  const planned = await planOffboarding(context, ids, flags, change)
  if (!flags.ignoreNotFound) await requirePeople(context, planned, ids, change)
  await confirmPlan(context, planned, flags.max, change)
  const plan = context.flags.yes ? planned : await omitChanged(context, planned, change)
  if (!context.flags.dryRun) {
    await saver?.save(findDeletionTargets(plan, flags))
    if (save !== undefined) {
      const { saveBlocks } = await import('../../../backup/blocks.ts')
      await saveBlocks(context, save, listPlanned(plan))
    }
  }
  const offboarding = await OffboardingRun.open(context, plan, change, flags)
  const isIds = printer.options.format === 'ids'

  async function* pages(): AsyncGenerator<Page> {
    // `-o ids` prints the deleted users; without a deletion, the changed members.
    for await (const step of offboarding.steps())
      if (!isIds || (step.status === 'ok' && (!change.deletes || step.step === 'delete')))
        yield { items: [step] }
  }

  await printRun(context, offboarding.run, {
    ...{ view, key: 'steps', pages: pages() },
    conclude: (error) => offboarding.conclude(error),
  })
}

/** Omits users who changed during the confirmation prompt, so that they no longer match the conditions. */
async function omitChanged(
  context: Context,
  plan: OffboardingPlan,
  { recheck }: OffboardingChange,
): Promise<OffboardingPlan> {
  if (!recheck || context.flags.dryRun) return plan
  const client = await context.client()
  const users = new Map(plan.users)
  for (const id of plan.users.keys()) {
    const reason = await recheck(client, id)
    if (reason === undefined) continue
    users.delete(id)
    await context.notice(`skipped user ${id}: ${reason}`)
  }
  return {
    ...plan,
    users,
    memberships: plan.memberships.filter(({ membership }) => users.has(membership.user_id)),
  }
}

/** Opens the backup. By default, a merge saves users in the data directory. */
async function openBackup(context: Context, { handOver }: OffboardingChange): Promise<Backup | undefined> {
  const given = await context.backup()
  if (given || !handOver || context.flags.save === false) return given
  const { FileBackup } = await import('../../../backup/backup.ts')
  const backup = new FileBackup(context, { dir: join(await findDataDir(context.host), 'saved') })
  context.closeLater(() => backup.close())
  return backup
}

const listPlanned = ({ memberships }: OffboardingPlan) =>
  memberships.flatMap(({ membership, skipReason }) => (skipReason === undefined ? [membership] : []))

/** Omits all users if a room is unread, because the run then deletes none. */
function findDeletionTargets(
  { users, unread, memberships }: OffboardingPlan,
  flags: PaceFlags,
): DeletionTargets {
  const ids = unread.length > 0 ? [] : [...users].flatMap(([id, user]) => (user ? [id] : []))
  return { kind: 'users', ids, flags, memberships: memberships.map(({ membership }) => membership) }
}

/**
 * Accepts any ID if a room could not be read, or if several users are deleted.
 * @throws {NotFoundError} if a user has neither memberships nor a record to delete
 */
async function requirePeople(
  context: Context,
  { memberships, unread, users }: OffboardingPlan,
  ids: readonly string[],
  { deletes }: OffboardingChange,
): Promise<void> {
  const members = new Set(memberships.map(({ membership }) => membership.user_id))
  const absent = ids.filter((id) => !members.has(id) && !users.get(id))
  if (absent.length > 0 && unread.length === 0 && (!deletes || ids.length === 1))
    await throwNoMembers(context, absent)
}

async function confirmPlan(
  context: Context,
  plan: OffboardingPlan,
  max: number | undefined,
  change: OffboardingChange,
): Promise<void> {
  const todo = listPlanned(plan)
  const users = new Set(todo.map(({ user_id }) => user_id))
  for (const [id, user] of plan.users) if (user) users.add(id)
  const { handOver } = change
  const handedOver = plan.additions?.rooms ?? []
  const count = change.deletes ? Math.max(users.size, handedOver.length) : todo.length
  const rooms = new Map(todo.map(({ room }) => [toText(room['id']), room]))
  const who = describe('user', new Map([...users].map((id) => [id, plan.users.get(id)])))
  const where = rooms.size === 0 ? '' : describe('room', rooms)
  const question = {
    activity: handOver ? 'merging users' : change.deletes ? 'offboarding users' : `${change.step}ing members`,
    describe: async () => {
      if (!change.deletes) return `${change.step} ${who} in ${where}`
      const offboarding = `offboard ${who}: ${describeChange(plan, where)}`
      if (!handOver || handedOver.length === 0) return offboarding
      const user = await describeUser(await context.client(), handOver.user_id)
      return `${handOver.describe(user, describeRooms(handedOver))}; then ${offboarding}`
    },
  }
  const items = { count, nouns: handOver ? 'rooms' : change.deletes ? 'users' : 'members', max }
  // A file of blocks names the members, so the run needs no prompt.
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
