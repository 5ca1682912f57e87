import type { BodyOf } from '../../../api/operation-types.ts'
import type { Operations } from '../../../api/operations.ts'
import { toText } from '../../../api/to-text.ts'
import type { Client } from '../../../client/client.ts'
import { isUnknown, type Outcome } from '../../../client/outcome.ts'
import { maxTimeoutMs } from '../../../config/values.ts'
import { ConflictError, toMeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { FullRecords } from '../../lists/full-records.ts'
import { listMembersOf } from '../../lists/user-members.ts'
import { findRoomsByName } from '../../names/item-finder.ts'
import type { Item } from '../../output/views/views.ts'
import { isBlocked } from '../../records/blocking.ts'
import { createRecord, findRecord, removeRecord, updateRecord } from '../../records/records.ts'
import { isSameValue } from '../../records/shown-values.ts'
import type { Intent } from '../lock/lock.ts'
import { readDeclared } from '../plan/compare.ts'
import type { PlanItem } from '../plan/plan.ts'
import type { LockKeeper } from './lock-keeper.ts'

/** Writer of planned items. Reads items again before writes, to detect changes since the plan. */
export class ItemWriter {
  readonly #context: Context
  readonly #client: Client
  readonly #keeper: LockKeeper
  readonly #full: FullRecords
  readonly #members = new Map<string, Promise<Item[]>>()
  readonly #isStopped: () => boolean
  /** Monotonic time at which this writer was created, in milliseconds. */
  readonly #startedAt: number

  /** @param isStopped returns true after the run has stopped; the writer then sends no further writes */
  constructor(context: Context, client: Client, keeper: LockKeeper, isStopped: () => boolean) {
    this.#context = context
    this.#client = client
    this.#keeper = keeper
    this.#isStopped = isStopped
    this.#startedAt = context.host.monotonic()
    this.#full = new FullRecords(context, 'listMembers', client)
  }

  async write(item: PlanItem): Promise<Outcome<unknown>> {
    const { action, kind, key, room_key } = item
    if (kind === 'room' && action === 'create') return this.#createRoom(item)
    if (kind === 'user') return this.#writeIn(item)
    const room_id = item.room_id ?? this.#keeper.roomIdOf((kind === 'room' ? key : room_key) ?? '')
    return room_id === undefined ? roomMissing : this.#writeIn(item, room_id)
  }

  /** @param room_id ID of the room, or of the member's room; empty for a user */
  async #writeIn(item: PlanItem, room_id = ''): Promise<Outcome<unknown>> {
    const { action, kind, key, room_key } = item
    const found = await this.#find(item, room_id)
    const id = kind === 'user' ? key : kind === 'room' ? room_id : toText(found?.['id'])
    if (action === 'create') {
      if (found)
        throw new ConflictError(
          `${kind} ${kind === 'user' ? key : `${room_key}/${key}`} was created after the plan; apply again`,
        )
      return this.#send(() => createRecord(this.#client, kind, { user_id: key, ...toBody(item) }, room_id))
    }
    if (!found && action === 'remove') return alreadyDone
    if (!found)
      throw new ConflictError(`${kind === 'member' ? `the member ${key}` : `${kind} ${id}`} no longer exists`)
    if (action === 'remove' && kind !== 'member') {
      requireName(item, found)
      return this.#send(() => removeRecord(this.#client, kind, id))
    }
    if (isDone(item, found)) return alreadyDone
    return this.#send(() => updateRecord(this.#client, { kind, id, room_id }, toBody(item)))
  }

  async #find({ kind, key, member_id }: PlanItem, room_id: string): Promise<Item | undefined> {
    if (kind !== 'member') return findRecord(this.#client, { kind, id: kind === 'user' ? key : room_id })
    return (await this.#membersOf(room_id)).find(
      (member) =>
        toText(member['user_id']) === key && (member_id === undefined || toText(member['id']) === member_id),
    )
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
    const at = host.now()
    const until = at + timeout.value * 1000
    await this.#keeper.recordIntent(key, { name: body.name, existing: found, at, until })
    try {
      const room = await createRecord(this.#client, 'room', body)
      const applicationId = toText(room['application_id']) || undefined
      await this.#keeper.recordCreatedRoom(key, toText(room['id']), applicationId)
      return done
    } catch (cause) {
      const error = toMeetroomError(cause)
      if (error.createdId !== undefined) await this.#keeper.recordCreatedRoom(key, error.createdId, undefined)
      else if (!isUnknown(error)) await this.#keeper.dropIntent(key)
      throw error
    }
  }

  /**
   * Waits until the timeout of a lost request, counted from the creation of this writer, has passed. Ignores
   * the wall clock, which may have changed.
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

  async #send(request: () => Promise<unknown>): Promise<Outcome<unknown>> {
    if (this.#isStopped()) return notTried
    await request()
    return done
  }

  #membersOf(room_id: string): Promise<Item[]> {
    const reading = this.#members.get(room_id) ?? this.#readMembers(room_id)
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
const alreadyDone: Outcome<unknown> = { status: 'skipped', value: 'already matches the file' }
const notTried: Outcome<unknown> = { status: 'unsent' }
const roomMissing: Outcome<unknown> = { status: 'unsent', value: 'its room does not exist' }

function toBody({ changes }: PlanItem): Record<string, unknown> {
  return Object.fromEntries(changes.map(({ field, after }) => [field, after]))
}

function requireName({ kind, name }: PlanItem, item: Item): void {
  if (!Object.hasOwn(item, 'name') || toText(item['name']) === toText(name)) return
  throw new ConflictError(`the ${kind} is named “${toText(item['name'])}” now, not “${toText(name)}”`)
}

/** @throws {ConflictError} if a known field has neither the previous nor the planned value */
function isDone({ kind, changes }: PlanItem, item: Item): boolean {
  let isSame = true
  for (const change of changes) {
    const { field, before, after } = change
    // A change without a previous value is always sent.
    if (!Object.hasOwn(change, 'before')) isSame = false
    else {
      const shown = field === 'is_blocked' ? readBlock(item) : readDeclared(kind, field, item)
      if (shown.known && isSameValue(shown.value, after)) continue
      isSame = false
      if (shown.known && !isSameValue(shown.value, before))
        throw new ConflictError(
          `${field} is ${toText(shown.value) || '(empty)'} now, not ${toText(before) || '(empty)'} as in the plan`,
        )
    }
  }
  return isSame
}

function readBlock(member: Item) {
  const value = isBlocked(member)
  return value === undefined ? ({ known: false } as const) : ({ known: true, value } as const)
}
