import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import { isBlocked } from '../../records/blocking.ts'
import type { DesiredUser, WorkspaceDocument } from '../document/document.ts'
import type { Intent, LockedItem, LockedRoom, Section } from '../lock/lock.ts'
import type { LockFile } from '../lock/lock-file.ts'
import type { PlanItem, WorkspaceState } from '../plan/plan.ts'

export interface Ended {
  item: PlanItem
  verdict: 'done' | 'unknown' | 'undone'
}

/**
 * Recorder of a run in the lock file. Records added and blocked items before their requests, in case of a
 * crash.
 */
export class LockKeeper {
  readonly #lock: LockFile
  readonly #section: Section
  readonly #document: WorkspaceDocument

  constructor(lock: LockFile, section: Section, document: WorkspaceDocument) {
    this.#lock = lock
    this.#section = section
    this.#document = document
    if (!lock.sections.includes(section)) lock.sections.push(section)
  }

  async begin(
    adopted: ReadonlyMap<string, string>,
    state: WorkspaceState,
    applicationId: string | undefined,
  ): Promise<void> {
    const section = this.#section
    section.application_id ??= applicationId
    section.workspace ??= this.#document.workspace
    for (const [key, id] of adopted) this.#recordRoom(key, id)
    this.#recordReturned(state)
    this.#protect()
    this.#forgetMissing(state)
    await this.#lock.save()
  }

  intentOf(key: string): Intent | undefined {
    return this.#section.intents.get(key)
  }

  async recordIntent(key: string, intent: Intent): Promise<void> {
    this.#section.intents.set(key, intent)
    await this.#lock.save()
  }

  async dropIntent(key: string): Promise<void> {
    this.#section.intents.delete(key)
    await this.#lock.save()
  }

  async recordCreatedRoom(key: string, id: string, applicationId: string | undefined): Promise<void> {
    this.#section.application_id ??= applicationId
    this.#recordRoom(key, id)
    await this.#lock.save()
  }

  roomIdOf(key: string): string | undefined {
    return this.#section.rooms.get(key)?.id
  }

  async beforePhase(items: readonly PlanItem[]): Promise<void> {
    const { users } = this.#section
    for (const item of items) {
      const { kind, action, key, room_key } = item
      const room = this.#roomOf(room_key)
      if (action === 'create' && kind === 'user') users.set(key, users.get(key) ?? createRecord())
      if (addsMember(item)) room?.members.set(key, room.members.get(key) ?? createRecord())
      if (action === 'remove' && kind === 'member') room?.blocks.add(key)
    }
    await this.#lock.save()
  }

  async afterPhase(ended: readonly Ended[]): Promise<void> {
    const { users, rooms } = this.#section
    for (const { item, verdict } of ended) {
      const { kind, action, key, room_key } = item
      const room = this.#roomOf(room_key)
      if (verdict === 'undone' && action === 'create' && kind === 'user') users.delete(key)
      if (verdict === 'undone' && addsMember(item)) room?.members.delete(key)
      // A member whom `--reblock` blocks has no member record, and stays in the recorded blocks.
      if (verdict === 'undone' && action === 'remove' && kind === 'member' && room?.members.has(key))
        room.blocks.delete(key)
      if (verdict !== 'done') continue
      if (action === 'remove' && kind === 'member') room?.members.delete(key)
      if (action === 'remove' && kind === 'user') users.delete(key)
      if (action === 'remove' && kind === 'room') rooms.delete(key)
      if (addsMember(item)) room?.blocks.delete(key)
    }
    await this.#lock.save()
  }

  /** Records the values and the protection that the file declares for recorded items. */
  async finish(): Promise<void> {
    for (const [record, { fields }] of this.#recorded()) record.values = fields
    this.#protect()
    await this.#lock.save()
  }

  #roomOf(key: string | null): LockedRoom | undefined {
    return key === null ? undefined : this.#section.rooms.get(key)
  }

  #recordRoom(key: string, id: string): void {
    this.#section.intents.delete(key)
    this.#section.rooms.set(key, { ...createRecord(), id, members: new Map(), blocks: new Set() })
  }

  /** Records declared members again whom `apply` blocked and somebody unblocked. */
  #recordReturned({ members }: WorkspaceState): void {
    for (const { key, members: declared = [] } of this.#document.rooms ?? []) {
      const room = this.#section.rooms.get(key)
      const found = room?.blocks.size ? members.get(room.id)?.items : undefined
      const active = new Set(
        found?.flatMap((member) => (isBlocked(member) === false ? [toText(member['user_id'])] : [])),
      )
      for (const { user_id } of declared)
        if (active.has(user_id) && room?.blocks.delete(user_id))
          room.members.set(user_id, room.members.get(user_id) ?? createRecord())
    }
  }

  /** Applies `protected` of the file. Items without this field keep their protection. */
  #protect(): void {
    for (const [record, { isProtected }] of this.#recorded())
      record.isProtected = isProtected ?? record.isProtected
  }

  /** Yields each record whose item the file declares. */
  *#recorded(): Generator<readonly [LockedItem, Pick<DesiredUser, 'fields' | 'isProtected'>]> {
    const { users = [], rooms = [] } = this.#document
    const section = this.#section
    for (const user of users) {
      const record = section.users.get(user.user_id)
      if (record) yield [record, user]
    }
    for (const room of rooms) {
      const locked = section.rooms.get(room.key)
      if (!locked) continue
      yield [locked, room]
      for (const member of room.members ?? []) {
        const record = locked.members.get(member.user_id)
        if (record) yield [record, member]
      }
    }
  }

  #forgetMissing({ users, rooms, members }: WorkspaceState): void {
    const section = this.#section
    const declaredUsers = new Set(this.#document.users?.map(({ user_id }) => user_id))
    if (users?.isComplete)
      for (const id of section.users.keys())
        if (!users.items.has(id) && !declaredUsers.has(id)) section.users.delete(id)
    const declared = new Map(this.#document.rooms?.map((room) => [room.key, room]))
    for (const [key, room] of section.rooms) {
      if (rooms?.isComplete && !rooms.items.has(room.id) && !declared.has(key)) section.rooms.delete(key)
      const read = members.get(room.id)
      if (!read?.isComplete) continue
      const kept = new Set(declared.get(key)?.members?.map(({ user_id }) => user_id))
      for (const { user_id } of read.items) kept.add(String(user_id))
      for (const id of room.members.keys()) if (!kept.has(id)) room.members.delete(id)
    }
    for (const key of section.intents.keys())
      if (this.#document.rooms && !declared.has(key)) section.intents.delete(key)
  }
}

/** Returns true for a member to create or to unblock. */
function addsMember({ kind, action, changes }: PlanItem): boolean {
  const isUnblock = changes.some(({ field, after }) => field === 'is_blocked' && after === false)
  return kind === 'member' && (action === 'create' || isUnblock)
}

const createRecord = () => ({ values: {} as Item, isProtected: false })
