import { parseTimestamp } from '../../api/readings.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { idleSince } from '../filter/metric-types.ts'
import type { Filter } from '../filter/where.ts'
import { fieldOf, type Item, views } from '../output/views/views.ts'
import type { PresenceReader } from './presence.ts'

/** What there is to find out about rooms, and how. */
export interface RoomInspection {
  /** The conditions that need it. */
  filter: Filter
  presences: PresenceReader
  clock: Pick<Host, 'now'>
  /** What a room carries that a list may leave out; undefined when it no longer exists. */
  recordOf: (room: Item) => Promise<Item | undefined>
}

/** A room, what was found out about it, and whether that matches; undefined when it does not settle it. */
export interface RoomMetrics {
  room: Item
  facts: Item
  matches: boolean | undefined
}

/** One of the requests about a room, with what those before it found out. */
type Step = (facts: Item) => Promise<Item>

/**
 * Asks what happens in a room, as far as the conditions need it.
 * @throws {NotFoundError} when it does not exist
 * @throws {UsageError} when it does not tell since when it is idle
 */
export async function evaluateRoomFacts(inquiry: RoomInspection, room: Item): Promise<RoomMetrics> {
  const { filter } = inquiry
  let facts: Item = {}
  for (const step of steps(inquiry, room)) {
    // What is settled costs no further request.
    if (filter.matchesMetrics(facts) === false) break
    facts = { ...facts, ...(await step(facts)) }
  }
  return { room, facts, matches: filter.matchesMetrics(facts) }
}

/** The requests that find out what is needed, the cheapest first. */
function steps(inquiry: RoomInspection, room: Item): Step[] {
  const { filter, presences } = inquiry
  const id = String(room['id'])
  const needs = (fact: string) => filter.metrics.includes(fact)
  const readsAll = needs('last_active') || needs(idleSince)
  const all: readonly (Step | false)[] = [
    needs('members') && (async () => ({ members: await presences.count('listMembers', id) })),
    !readsAll && needs('online') && (async () => ({ online: await presences.online(id) })),
    !readsAll && needs('sessions') && (async () => ({ sessions: await presences.count('listSessions', id) })),
    readsAll && (() => history(inquiry, id)),
    needs(idleSince) &&
      (async (facts) => ({ [idleSince]: facts['last_active'] ?? (await creation(inquiry, room, facts)) })),
  ]
  return all.filter((step) => step !== false)
}

async function history({ presences, clock }: RoomInspection, id: string): Promise<Item> {
  const { online, sessions, last } = await presences.of(id)
  const now = new Date(clock.now()).toISOString()
  return { online, sessions, last_active: online ? now : online === 0 ? last : undefined }
}

/** When a room that nobody ever was in was created. */
async function creation(
  { filter: { flag }, recordOf }: RoomInspection,
  room: Item,
  { last_active }: Item,
): Promise<unknown> {
  if (last_active === undefined) return undefined
  const isTold = fieldOf(views.room, 'created_at', room).known
  const record = isTold ? room : await recordOf(room)
  if (!record) throw new NotFoundError(`no such room: ${room['id']}`)
  const told = fieldOf(views.room, 'created_at', record)
  if (told.known && typeof parseTimestamp(told.value) === 'number') return told.value
  throw new UsageError(
    `${flag}: nobody was ever in room ${room['id']}, and without created_at there is no telling since when it is idle`,
    { hint: `to leave such rooms out: ${flag} sessions>0` },
  )
}
