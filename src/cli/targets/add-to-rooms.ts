import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { MeetroomError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { type Membership, MembershipSearch, type SearchedRoom } from '../lists/memberships.ts'
import { rowKinds } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'
import { type IfMember, planMembership, selectMembership } from '../records/membership-plan.ts'
import { createRecord, readRecord, updateRecord } from '../records/records.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'
import { runTasks, type Task } from '../run/print-run.ts'
import type { Tally } from '../run/tally.ts'
import { createMemberStep, type MemberStep } from './member-step.ts'

export interface AddFlags extends PaceFlags {
  where?: readonly string[]
  max?: number
}

const view = { ...rowKinds.steps, id: 'member_id' }

/** Function that returns a user's role in one room; undefined to skip the room, null for the default role. */
type RoleIn = (memberships: readonly Membership[]) => string | null | undefined | MeetroomError

interface Addition {
  user_id: string
  /** Other users whose memberships are passed to `roleIn`. */
  others?: readonly string[]
  roleIn: RoleIn
  /** Change of a user who is already a member; `raise` never lowers a role. */
  ifExists: IfMember | 'raise'
  body?: object
  activity: string
  /** Formats the confirmation prompt. */
  describe: (user: string, rooms: string) => string
}

/**
 * Adds a user to each selected room. Rooms in which the user is a member already are skipped, so that a second run
 * completes the first one.
 * @returns the number of rows; 0 when no room matches
 * @throws {NotFoundError} when the user does not exist
 * @throws {PartialError} when some rooms failed
 */
export async function addToRooms(context: Context, addition: Addition, flags: AddFlags): Promise<number> {
  if (context.flags.curl)
    throw new UsageError('--curl sends nothing, so the rooms to which the user is added are unknown')
  const printer = await context.printer()
  printer.check(view, true)
  const user = await describeUser(await context.client(), addition.user_id)
  const { tasks, rooms } = await planAdditions(context, addition, flags)
  if (tasks.length === 0) return 0
  const labels = rooms.slice(0, maxNamed).map(({ id, name }) => labelItem(toText(id), toText(name)))
  const items = { count: rooms.length, nouns: 'rooms', max: flags.max }
  await confirmItems(context, items, {
    activity: addition.activity,
    describe: async () => addition.describe(user, describeItems(['room', 'rooms'], labels, rooms.length)),
  })
  const summarize = (tally: Tally) => summarizeSteps(tally, context.flags.dryRun === true)
  const advise = () => 'run it again to complete the remaining rooms'
  await runTasks(context, { tasks, view, key: 'steps', rowsFor: 'outcomes', summarize, advise }, flags)
  return tasks.length
}

/** @throws {NotFoundError} when the user does not exist */
async function describeUser(client: Client, user_id: string): Promise<string> {
  const user = await readRecord(client, { kind: 'user', id: user_id })
  return labelItem(user_id, toText(user['name'] ?? ''))
}

/** Reads the members of all selected rooms before anything is written. */
async function planAdditions(context: Context, addition: Addition, flags: AddFlags) {
  const { user_id, others = [] } = addition
  const users = new Set([user_id, ...others])
  const search = await MembershipSearch.open(context, flags, { users, where: flags.where })
  const tasks: Task[] = []
  const rooms: Item[] = []
  for await (const searched of search.searched()) {
    const { room } = searched
    const step = planStep(context, addition, searched)
    if (!step) continue
    const isWrite = typeof step.todo === 'function'
    const isFinal = !isWrite || context.flags.dryRun
    const todo = isFinal ? step.todo : planAgain(context, addition, room, search)
    tasks.push({ ...step, todo })
    if (isWrite) rooms.push(pickRoom(room))
  }
  const error = await search.end()
  // If some rooms were read, the user is added to those rooms, and unread rooms are reported.
  if (error && !search.isUsable) throw error
  const unread = search.unread.map(({ room, error }) =>
    createTask(addition, pickRoom(room), 'add', null, { status: 'failed', error }),
  )
  return { rooms, tasks: [...unread, ...tasks] }
}

/**
 * Creates the work that plans the step of a room again and writes it. A role could be lowered if it was raised after
 * the first plan.
 */
function planAgain(context: Context, addition: Addition, room: Item, search: MembershipSearch) {
  return async (client: Client): Promise<Outcome<unknown>> => {
    const step = planStep(context, addition, { room, memberships: await search.membersIn(room, client) })
    if (!step) return { status: 'skipped', reason: 'no longer needed' }
    return typeof step.todo === 'function' ? step.todo(client) : step.todo
  }
}

function planStep(context: Context, addition: Addition, { room, memberships }: SearchedRoom) {
  const { user_id, roleIn, ifExists, body } = addition
  const role = roleIn(memberships)
  if (role === undefined) return undefined
  const picked = pickRoom(room)
  if (role instanceof MeetroomError)
    return createTask(addition, picked, 'add', null, { status: 'failed', error: role })
  const room_id = toText(room['id'])
  const member = selectMembershipOf(user_id, memberships)
  const type = role === null ? {} : { type: role }
  const plan = planMembership(member, { values: { ...body, ...type }, ifExists, ifBlocked: 'fail' })
  const { dryRun } = context.flags
  if (plan.action === 'add')
    return createTask(addition, picked, 'add', null, async (client): Promise<Outcome<unknown>> => {
      if (dryRun) return { status: 'would_create' }
      const created = await createRecord(client, 'member', { ...body, user_id, ...type }, room_id)
      return { status: 'ok', value: created['id'] ?? null }
    })
  const id = toText(plan.member['id'])
  if (plan.action === 'refuse')
    return createTask(addition, picked, 'add', id, { status: 'failed', error: plan.error })
  if (plan.action === 'leave') {
    const { reason } = plan
    return createTask(addition, picked, 'add', id, { status: dryRun ? 'would_skip' : 'skipped', reason })
  }
  return createTask(addition, picked, 'update', id, async (client): Promise<Outcome<unknown>> => {
    if (dryRun) return { status: 'would_update' }
    await updateRecord(client, { kind: 'member', id, room_id }, plan.values)
    return { status: 'updated', value: id }
  })
}

function createTask(
  { user_id }: Addition,
  room: Item,
  step: MemberStep['step'],
  member_id: string | null,
  todo: Task['todo'],
): Task {
  const toRows = (ended: Outcome<unknown>) => [
    createMemberStep(step, { user_id, room, member: { id: member_id ?? ended.value } }, ended),
  ]
  return { todo, toRows }
}

export function selectMembershipOf(user: string, memberships: readonly Membership[]): Item | undefined {
  return selectMembership(memberships.flatMap(({ user_id, member }) => (user_id === user ? [member] : [])))
}

const pickRoom = ({ id, name, type }: Item): Item => ({ id, name, type })

function summarizeSteps(tally: Tally, dryRun: boolean): string {
  const added = tally.count(dryRun ? 'would_create' : 'ok')
  const raised = tally.count(dryRun ? 'would_update' : 'updated')
  return tally.describe([
    `${dryRun ? 'would add' : 'added'} the user to ${counted(added, 'room')}`,
    ...(raised > 0 ? [`${dryRun ? 'would change' : 'changed'} the role in ${counted(raised, 'room')}`] : []),
  ])
}
