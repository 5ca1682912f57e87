import { listNames } from '../../../api/plural.ts'
import { toText } from '../../../api/to-text.ts'
import { describeUnrestoredByDeletion } from '../../import/unrestored.ts'
import { createTwinFinder, groupByName } from '../../matching/match.ts'
import type { Item } from '../../output/views/views.ts'
import type { DesiredRoom } from '../document/document.ts'
import type { Section } from '../lock/lock.ts'
import { splitForCreation } from '../schema/fields.ts'
import { compareFields, type ItemComparison } from './compare.ts'
import {
  createDifferences,
  createItem,
  describeTwin,
  groupPlanned,
  nameOf,
  type PlannedItems,
  planKept,
  toCreation,
} from './items.ts'
import type { PlanItem, PlanOptions, ReadList } from './plan.ts'
import { findAdoptable } from './same-name.ts'

interface RoomsInput {
  desired: readonly DesiredRoom[]
  state: ReadList
  section: Section
  options: PlanOptions
}

export type PlannedRoom = { status: 'exists'; item: Item } | { status: 'new' } | { status: 'unresolved' }

interface RoomPlan extends PlannedItems {
  /** Terminations of rooms, which run just before the removals. */
  terminations: PlanItem[]
  rooms: ReadonlyMap<string, PlannedRoom>
  adopted: ReadonlyMap<string, string>
}

const maxListed = 10

/** Plans rooms. Except after a lost creation, a key never matches a room by its name. */
export function planRooms(input: RoomsInput): RoomPlan {
  const { desired, state, section } = input
  const writes: PlanItem[] = []
  const creations: PlanItem[] = []
  const terminations: PlanItem[] = []
  const others: PlanItem[] = []
  const rooms = new Map<string, PlannedRoom>()
  const adopted = findLostRooms(state.items, section)
  const idOf = (key: string) => adopted.get(key) ?? section.rooms.get(key)?.id
  const takenNames = findTakenNames(input, idOf)
  const findTwin = createTwinFinder(takenNames.keys())
  const owners = new Map(desired.map(({ key }) => [idOf(key), key]))
  const ownerOf = (id: string) => owners.get(id)
  const owned = new Set<string>()
  for (const room of desired) {
    const { key, fields } = room
    const id = idOf(key)
    const item = id === undefined ? undefined : state.items.get(id)
    const name = typeof fields['name'] === 'string' ? fields['name'] : null
    const subject = { kind: 'room', key, name: nameOf(item) ?? name, room_id: id } as const
    if (item && id !== undefined) {
      owned.add(id)
      rooms.set(key, { status: 'exists', item })
      const { now, later } = splitTermination(compareFields('room', fields, item))
      writes.push(...createDifferences(subject, now))
      terminations.push(...createDifferences(subject, later))
      continue
    }
    const unresolved = explainUncreatable(room, id, input, takenNames, ownerOf)
    rooms.set(key, { status: unresolved ? 'unresolved' : 'new' })
    const { candidates } = unresolved ?? {}
    const other = { ...subject, candidates, room_id: unresolved?.room_id ?? (unresolved ? id : undefined) }
    for (const candidate of candidates ?? []) owned.add(candidate)
    if (unresolved) others.push(createItem(unresolved.action, other, { reason: unresolved.reason }))
    else {
      const { create, update } = splitForCreation('room', { ...room.creationDefaults, ...fields })
      const reason = describeTwin(name ?? key, findTwin(name ?? key))
      creations.push(createItem('create', other, { changes: toCreation(create), reason }))
      if (update['is_terminated'] === true)
        terminations.push(createItem('change', other, { changes: [terminated] }))
    }
  }
  // Changes run before creations, because a change may free a name.
  const planned = groupPlanned([...writes, ...creations], planOthers(input, owned, idOf))
  return { ...planned, others: [...others, ...planned.others], terminations, rooms, adopted }
}

const terminated = { field: 'is_terminated', before: false, after: true } as const

function splitTermination(compared: ItemComparison): { now: ItemComparison; later: ItemComparison } {
  const isEnd = ({ field, after }: ItemComparison['changes'][number]) =>
    field === 'is_terminated' && after === true
  return {
    now: { ...compared, changes: compared.changes.filter((change) => !isEnd(change)) },
    later: { changes: compared.changes.filter(isEnd), fixed: [], notShown: [] },
  }
}

/** Groups the IDs of read rooms by the name that each room has after the planned changes. */
function findTakenNames({ desired, state }: RoomsInput, idOf: (key: string) => string | undefined) {
  const renamed = new Map<string, unknown>()
  for (const { key, fields } of desired) {
    const id = idOf(key)
    if (id !== undefined && fields['name'] !== undefined) renamed.set(id, fields['name'])
  }
  return groupByName(state.items, (id, item) => renamed.get(id) ?? item['name'])
}

interface Unresolved {
  action: 'gone' | 'exists' | 'conflict' | 'unread'
  reason: string
  room_id?: string | undefined
  candidates?: readonly string[]
}

/** Returns the reason why a missing room is not created; undefined if the room is created. */
function explainUncreatable(
  { key, fields }: DesiredRoom,
  id: string | undefined,
  { state, section, options }: RoomsInput,
  takenNames: ReadonlyMap<string, readonly string[]>,
  ownerOf: (id: string) => string | undefined,
): Unresolved | undefined {
  if (!state.isComplete) return { action: 'unread', reason: 'the list of rooms is incomplete' }
  if (id !== undefined && !options.recreate.has(key))
    return { action: 'gone', reason: `room ${id} no longer exists; --recreate ${key} creates it again` }
  const lost = listNewRooms(key, state.items, section)
  if (lost.length > 1)
    return {
      action: 'conflict',
      reason: `${lost.length} rooms may come from an interrupted creation: ${listNames(lost, maxListed)}`,
    }
  const taken = takenNames.get(toText(fields['name']))
  if (!taken) return undefined
  const { candidates, refusal } = findAdoptable(taken, ownerOf)
  return {
    action: 'exists',
    room_id: candidates[0] ?? taken[0],
    candidates,
    reason: refusal ?? 'a room has this name; “workspace adopt” adopts it',
  }
}

function planOthers(
  { state, section, desired, options }: RoomsInput,
  owned: ReadonlySet<string>,
  idOf: (key: string) => string | undefined,
): PlanItem[] {
  const declared = new Set(desired.map(({ key }) => key))
  const keys = new Map([...section.rooms].map(([key, { id }]) => [id, key]))
  const others = [...state.items].filter(([id]) => !owned.has(id))
  const prunes = options.prune.has('rooms')
  return others.map(([id, item]) => {
    const key = keys.get(id)
    const locked = key === undefined ? undefined : section.rooms.get(key)
    const subject = { kind: 'room', key: key ?? id, name: nameOf(item), room_id: id } as const
    // The declared key now belongs to another room.
    const isReplaced = key !== undefined && declared.has(key) && idOf(key) !== id
    if (!locked || isReplaced) return createItem('not_in_file', subject)
    const reason = `not restorable: ${describeUnrestoredByDeletion('rooms')}`
    const protects = [...locked.members.values()].some(({ isProtected }) => isProtected)
    return (
      planKept(subject, locked, prunes, state.isComplete, protects && 'has a protected member') ??
      createItem('remove', subject, { reason })
    )
  })
}

/** Returns the IDs of rooms from lost creations, by key. Omits a key without exactly one candidate. */
export function findLostRooms(rooms: ReadonlyMap<string, Item>, section: Section): Map<string, string> {
  const found = new Map<string, string>()
  for (const key of section.intents.keys()) {
    const [id, ...others] = listNewRooms(key, rooms, section)
    if (id !== undefined && others.length === 0) found.set(key, id)
  }
  return found
}

/** Lists unrecorded rooms that have the name of the key's intent and are not in its `existing` rooms. */
function listNewRooms(
  key: string,
  rooms: ReadonlyMap<string, Item>,
  { intents, rooms: locked }: Section,
): string[] {
  const intent = intents.get(key)
  if (!intent) return []
  const ids = new Set([...locked.values()].map(({ id }) => id))
  return [...rooms.keys()].filter(
    (id) => toText(rooms.get(id)?.['name']) === intent.name && !intent.existing.includes(id) && !ids.has(id),
  )
}
