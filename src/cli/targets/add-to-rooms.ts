import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { ConflictError } from '../../errors.ts'
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

/**
 * Function that returns the role to assign in a room: null sends no role, undefined omits the room, and an
 * outcome replaces the write.
 */
type RoleIn = (memberships: readonly Membership[]) => string | null | undefined | Outcome<never>

export interface Addition {
  user_id: string
  /** Other users whose memberships are passed to `roleIn`. */
  others?: readonly string[]
  roleIn: RoleIn
  /** `raise` never lowers a role. */
  ifExists: IfMember | 'raise'
  body?: object
  /** True to change existing memberships only, including those of blocked members. */
  onlyMembers?: boolean
  activity: string
  describe: (user: string, rooms: string) => string
}

/**
 * Adds a user to the selected rooms, or changes existing memberships.
 * @returns the number of steps, at most one per room
 * @throws {NotFoundError} if the user does not exist
 * @throws {ConfirmationError} if the change is not confirmed
 */
export async function addToRooms(context: Context, addition: Addition, flags: AddFlags): Promise<number> {
  context.refuseCurl('the rooms of the user')
  const printer = await context.printer()
  printer.check(view, true)
  const user = await describeUser(await context.client(), addition.user_id)
  const { tasks, rooms } = await planAdditions(context, addition, flags)
  if (tasks.length === 0) return 0
  const items = { count: rooms.length, nouns: 'rooms', max: flags.max }
  await confirmItems(context, items, {
    activity: addition.activity,
    describe: async () => addition.describe(user, describeRooms(rooms)),
  })
  const summarize = (tally: Tally) => summarizeSteps(tally, addition, context.flags.dryRun === true)
  const advise = (ended: readonly Outcome<unknown>[]) =>
    ended.every((outcome) => !('error' in outcome) || outcome.error instanceof ConflictError)
      ? 'to skip rooms of which the user is a member, pass --if-exists skip'
      : 'run the command again to complete the remaining rooms'
  await runTasks(context, { tasks, view, key: 'steps', summarize, advise }, flags)
  return tasks.length
}

export function describeRooms(rooms: readonly Item[]): string {
  const labels = rooms.slice(0, maxNamed).map(({ id, name }) => labelItem(toText(id), toText(name)))
  return describeItems(['room', 'rooms'], labels, rooms.length)
}

/** @throws {NotFoundError} if the user does not exist */
export async function describeUser(client: Client, user_id: string): Promise<string> {
  const user = await readRecord(client, { kind: 'user', id: user_id })
  return labelItem(user_id, toText(user['name'] ?? ''))
}

async function planAdditions(context: Context, addition: Addition, flags: AddFlags) {
  const { user_id, others = [] } = addition
  const users = new Set([user_id, ...others])
  const search = await MembershipSearch.open(context, flags, { users, where: flags.where })
  const plan = new AdditionPlan(context, addition, search)
  for await (const searched of search.searched()) plan.add(searched)
  const error = await search.end()
  // The command changes the rooms that were read, and reports the unread rooms.
  if (error && !search.isUsable) throw error
  const unread = search.unread.map(({ room, error }) =>
    createTask(addition, pickRoom(room), 'add', null, { status: 'failed', error }),
  )
  return { rooms: plan.rooms, tasks: [...unread, ...plan.tasks] }
}

export class AdditionPlan {
  readonly tasks: Task[] = []
  /** Rooms with a planned write. */
  readonly rooms: Item[] = []
  readonly #context: Context
  readonly #addition: Addition
  readonly #search: MembershipSearch

  constructor(context: Context, addition: Addition, search: MembershipSearch) {
    this.#context = context
    this.#addition = addition
    this.#search = search
  }

  add(searched: SearchedRoom): void {
    const { room } = searched
    const step = planStep(this.#context, this.#addition, searched)
    if (!step) return
    const isWrite = typeof step.todo === 'function'
    const isFinal = !isWrite || this.#context.flags.dryRun
    const todo = isFinal ? step.todo : planAgain(this.#context, this.#addition, room, this.#search)
    this.tasks.push({ ...step, todo })
    if (isWrite) this.rooms.push(pickRoom(room))
  }
}

/** Plans the step again before the write, because the role may have changed. */
function planAgain(context: Context, addition: Addition, room: Item, search: MembershipSearch) {
  return async (client: Client): Promise<Outcome<unknown>> => {
    const step = planStep(context, addition, { room, memberships: await search.membersIn(room, client) })
    if (!step) return { status: 'skipped', reason: 'no longer needed' }
    return typeof step.todo === 'function' ? step.todo(client) : step.todo
  }
}

function planStep(context: Context, addition: Addition, { room, memberships }: SearchedRoom) {
  const { user_id, roleIn, ifExists, body, onlyMembers } = addition
  const role = roleIn(memberships)
  if (role === undefined) return undefined
  const picked = pickRoom(room)
  if (typeof role === 'object' && role !== null) return createTask(addition, picked, 'add', null, role)
  const room_id = toText(room['id'])
  const member = selectMembershipOf(user_id, memberships)
  const type = role === null ? {} : { type: role }
  if (onlyMembers && !member) return undefined
  const ifBlocked = onlyMembers ? undefined : 'fail'
  const plan = planMembership(member, { values: { ...body, ...type }, ifExists, ifBlocked })
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
    const [step, reason] = onlyMembers ? (['update', 'unchanged'] as const) : (['add', plan.reason] as const)
    return createTask(addition, picked, step, id, { status: dryRun ? 'would_skip' : 'skipped', reason })
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

function summarizeSteps(tally: Tally, { onlyMembers }: Addition, dryRun: boolean): string {
  const added = tally.count(dryRun ? 'would_create' : 'ok')
  const raised = tally.count(dryRun ? 'would_update' : 'updated')
  if (onlyMembers)
    return tally.describe([`${dryRun ? 'would change' : 'changed'} the user in ${counted(raised, 'room')}`])
  return tally.describe(describeAdditions('the user', { added, raised, dryRun }))
}

export function describeAdditions(
  user: string,
  { added, raised, dryRun }: { added: number; raised: number; dryRun: boolean },
): string[] {
  return [
    `${dryRun ? 'would add' : 'added'} ${user} to ${counted(added, 'room')}`,
    ...(raised > 0 ? [`${dryRun ? 'would change' : 'changed'} the role in ${counted(raised, 'room')}`] : []),
  ]
}
