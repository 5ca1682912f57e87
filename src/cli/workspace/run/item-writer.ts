import type { OperationName } from '../../../api/endpoints.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { BodyOf, Input } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { toText } from '../../../api/to-text.ts'
import type { Client } from '../../../client/client.ts'
import { isUnknown, type Outcome } from '../../../client/outcome.ts'
import { maxTimeoutMs } from '../../../config/values.ts'
import { ConflictError, toMeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { isBlocked } from '../../lists/blocking.ts'
import { findItem } from '../../lists/find-item.ts'
import { FullRecords } from '../../lists/full-records.ts'
import { listMembersOf } from '../../lists/user-members.ts'
import { findRoomsByName } from '../../names/item-finder.ts'
import type { Item } from '../../output/views/views.ts'
import type { Intent } from '../lock/lock.ts'
import { isSameValue, readDeclared } from '../plan/compare.ts'
import type { PlanItem } from '../plan/plan.ts'
import type { LockKeeper } from './lock-keeper.ts'

/**
 * Writer of planned items. Reads each item again before the write; an item that differs from the plan is a conflict.
 * Reads the members of a room once for all items of the room.
 */
export class ItemWriter {
  readonly #context: Context
  readonly #client: Client
  readonly #keeper: LockKeeper
  readonly #full: FullRecords
  readonly #members = new Map<string, Promise<Item[]>>()
  readonly #isStopped: () => boolean
  /** Monotonic time of the start of the run, in milliseconds. */
  readonly #startedAt: number

  /** @param isStopped returns true when items that were only read again must not be written */
  constructor(context: Context, client: Client, keeper: LockKeeper, isStopped: () => boolean) {
    this.#context = context
    this.#client = client
    this.#keeper = keeper
    this.#isStopped = isStopped
    this.#startedAt = context.host.monotonic()
    this.#full = new FullRecords(context, 'listMembers', client)
  }

  write(item: PlanItem): Promise<Outcome<unknown>> {
    if (item.kind === 'user') return this.#writeUser(item)
    if (item.kind === 'member') return this.#writeMember(item)
    return item.action === 'create' ? this.#createRoom(item) : this.#changeRoom(item)
  }

  async #writeUser(item: PlanItem): Promise<Outcome<unknown>> {
    const { action, key: user_id } = item
    const params = { user_id }
    const user = await findItem(this.#client, 'getUser', { params })
    if (action === 'create') {
      if (user)
        throw new ConflictError(`user ${user_id} exists now; the next apply compares it with the file`)
      const body = { user_id, ...toBody(item) } as BodyOf<Operations['createUser']>
      return this.#send('createUser', { body })
    }
    if (!user) return action === 'remove' ? alreadyDone : throwGone(`user ${user_id}`)
    if (action === 'remove') {
      requireName(item, user)
      return this.#send('deleteUser', { params })
    }
    if (isDone(item, user)) return alreadyDone
    return this.#send('updateUser', { params, body: toBody(item) })
  }

  async #changeRoom(item: PlanItem): Promise<Outcome<unknown>> {
    const id = item.room_id ?? this.#keeper.roomIdOf(item.key)
    if (id === undefined) return roomMissing
    const params = { id }
    const room = await findItem(this.#client, 'getRoom', { params })
    if (!room) return item.action === 'remove' ? alreadyDone : throwGone(`room ${id}`)
    if (item.action === 'remove') {
      requireName(item, room)
      return this.#send('deleteRoom', { params })
    }
    if (isDone(item, room)) return alreadyDone
    return this.#send('updateRoom', { params, body: toBody(item) })
  }

  async #createRoom(item: PlanItem): Promise<Outcome<unknown>> {
    const { key } = item
    const body = toBody(item) as BodyOf<Operations['createRoom']>
    const earlier = this.#keeper.intentOf(key)
    if (earlier) await this.#waitForLostRequest(earlier)
    const found = (await findRoomsByName(this.#client, body.name)).map(({ id }) => toText(id))
    const fresh = found.filter((id) => !earlier?.existing.includes(id))
    const [id] = fresh
    if (earlier && id !== undefined && fresh.length === 1) {
      await this.#keeper.recordCreatedRoom(key, id, undefined)
      return { status: 'skipped', value: 'an earlier run created it' }
    }
    if (found.length > 0)
      throw new ConflictError(`a room named “${body.name}” exists now: ${found.join(', ')}`)
    if (this.#isStopped()) return notTried
    const { host } = this.#context
    const { timeout } = await this.#context.settings()
    await this.#keeper.recordIntent(key, {
      name: body.name,
      existing: found,
      at: host.now(),
      until: host.now() + timeout.value * 1000,
    })
    await this.#sendCreation(key, body)
    return done
  }

  async #sendCreation(key: string, body: BodyOf<Operations['createRoom']>): Promise<void> {
    try {
      const { room } = readResponseValue(await this.#client.call('createRoom', { body })) as { room: Item }
      await this.#keeper.recordCreatedRoom(
        key,
        toText(room['id']),
        toText(room['application_id']) || undefined,
      )
    } catch (cause) {
      const error = toMeetroomError(cause)
      if (error.createdId !== undefined) await this.#keeper.recordCreatedRoom(key, error.createdId, undefined)
      else if (!isUnknown(error)) await this.#keeper.dropIntent(key)
      throw error
    }
  }

  /**
   * Waits until a lost request of an earlier run can no longer arrive. The run starts after that request, and the wall
   * clock may have been set since, so the timeout of the request is counted from the start of the run.
   */
  async #waitForLostRequest({ at, until }: Intent): Promise<void> {
    const { host, interrupt } = this.#context
    const timeoutMs = Math.min(until - at, maxTimeoutMs)
    const waitMs = this.#startedAt + timeoutMs - host.monotonic()
    if (waitMs <= 0) return
    await this.#context.notice(
      `waiting ${Math.ceil(waitMs / 1000)} s, because an earlier request to create a room may still arrive`,
    )
    await host.sleep(waitMs, interrupt)
  }

  async #writeMember(item: PlanItem): Promise<Outcome<unknown>> {
    const { action, key: user_id, room_key } = item
    const room_id = item.room_id ?? this.#keeper.roomIdOf(room_key ?? '')
    if (room_id === undefined) return roomMissing
    const found = (await this.#membersOf(room_id)).filter((member) => toText(member['user_id']) === user_id)
    if (action === 'create') {
      if (found.length > 0)
        throw new ConflictError(`${user_id} is a member now; the next apply compares it with the file`)
      const body = { user_id, ...toBody(item) }
      return this.#send('addMember', { params: { room_id }, body })
    }
    const member = found.find(({ id }) => item.member_id === undefined || toText(id) === item.member_id)
    if (!member) return action === 'remove' ? alreadyDone : throwGone(`the member ${user_id}`)
    if (isDone(item, member)) return alreadyDone
    const params = { room_id, member_id: toText(member['id']) }
    return this.#send('updateMember', { params, body: toBody(item) })
  }

  async #send<N extends OperationName>(name: N, input: Input<Operations[N]>): Promise<Outcome<unknown>> {
    if (this.#isStopped()) return notTried
    await this.#client.call(name, input)
    return done
  }

  #membersOf(room_id: string): Promise<Item[]> {
    const known = this.#members.get(room_id)
    if (known) return known
    const reading = this.#readMembers(room_id)
    this.#members.set(room_id, reading)
    return reading
  }

  async #readMembers(room_id: string): Promise<Item[]> {
    const members: Item[] = []
    const sources = { client: this.#client, full: this.#full }
    for await (const member of listMembersOf(this.#context, room_id, sources)) members.push(member)
    return members
  }
}

const done: Outcome<unknown> = { status: 'ok', value: undefined }
const alreadyDone: Outcome<unknown> = { status: 'skipped', value: 'already as the file says' }
const notTried: Outcome<unknown> = { status: 'unsent' }
const roomMissing: Outcome<unknown> = { status: 'unsent', value: 'its room does not exist' }

function throwGone(what: string): never {
  throw new ConflictError(`${what} no longer exists`)
}

function toBody({ changes }: PlanItem): Record<string, unknown> {
  return Object.fromEntries(changes.map(({ field, after }) => [field, after]))
}

function requireName({ kind, name }: PlanItem, item: Item): void {
  if (!Object.hasOwn(item, 'name') || toText(item['name']) === toText(name)) return
  throw new ConflictError(`the ${kind} is named “${toText(item['name'])}” now, not “${toText(name)}”`)
}

/**
 * Returns true when an item already has all values of the plan.
 * @throws {ConflictError} when a field has neither the value that the plan saw nor the planned one
 */
function isDone({ kind, changes }: PlanItem, item: Item): boolean {
  let isSame = true
  for (const change of changes) {
    const { field, before, after } = change
    // A change without a previous value, such as the name of a new member, is always written.
    if (!Object.hasOwn(change, 'before')) isSame = false
    else {
      const shown = field === 'is_blocked' ? readBlock(item) : readDeclared(kind, field, item)
      if (shown.known && isSameValue(shown.value, after)) continue
      isSame = false
      if (shown.known && !isSameValue(shown.value, before))
        throw new ConflictError(
          `${field} is ${toText(shown.value) || '(empty)'} now; the plan saw ${toText(before) || '(empty)'}`,
        )
    }
  }
  return isSame
}

function readBlock(member: Item) {
  const value = isBlocked(member)
  return value === undefined ? ({ known: false } as const) : ({ known: true, value } as const)
}
