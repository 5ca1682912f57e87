import { parseTimestamp } from '../../api/readings.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { idleSince } from '../filter/metric-types.ts'
import type { Filter } from '../filter/where.ts'
import { type Item, readField, views } from '../output/views/views.ts'
import type { PresenceReader } from './presence.ts'

interface RoomInspection {
  filter: Filter
  needed: readonly string[]
  presences: PresenceReader
  clock: Pick<Host, 'now'>
  recordOf: (room: Item) => Promise<Item | undefined>
}

/** Room with its metrics. `matches` is undefined if the metrics do not decide the conditions. */
export interface RoomMetrics {
  room: Item
  metrics: Item
  matches: boolean | undefined
}

type Step = (metrics: Item) => Promise<Item>

/**
 * Requests the needed metrics of a room, until the metrics contradict the filter.
 * @throws {NotFoundError} if the room does not exist
 * @throws {UsageError} if the filter needs `idle`, but the room has no sessions and no readable `created_at`
 */
export async function evaluateRoomMetrics(inspection: RoomInspection, room: Item): Promise<RoomMetrics> {
  const { filter } = inspection
  let metrics: Item = {}
  for (const step of planSteps(inspection, room)) {
    if (filter.matchesMetrics(metrics) === false) break
    metrics = { ...metrics, ...(await step(metrics)) }
  }
  return { room, metrics, matches: filter.matchesMetrics(metrics) }
}

function planSteps(inspection: RoomInspection, room: Item): Step[] {
  const { needed, presences } = inspection
  const id = String(room['id'])
  const needs = (metric: string) => needed.includes(metric)
  const readsAll = needs('last_active') || needs(idleSince)
  const all: readonly (Step | false)[] = [
    needs('members') && (async () => ({ members: await presences.count('listMembers', id) })),
    !readsAll && needs('online') && (async () => ({ online: await presences.online(id) })),
    !readsAll && needs('sessions') && (async () => ({ sessions: await presences.count('listSessions', id) })),
    readsAll && (() => readHistory(inspection, id)),
    needs(idleSince) &&
      (async (metrics) => ({
        [idleSince]: metrics['last_active'] ?? (await readCreation(inspection, room, metrics)),
      })),
  ]
  return all.filter((step) => step !== false)
}

async function readHistory({ presences, clock }: RoomInspection, id: string): Promise<Item> {
  const { online, sessions, last } = await presences.of(id)
  const now = new Date(clock.now()).toISOString()
  return { online, sessions, last_active: online ? now : online === 0 ? last : undefined }
}

async function readCreation(
  { filter: { flag, metrics }, recordOf }: RoomInspection,
  room: Item,
  { last_active }: Item,
): Promise<unknown> {
  if (last_active === undefined) return undefined
  const isKnown = readField(views.room, 'created_at', room).known
  const record = isKnown ? room : await recordOf(room)
  if (!record) throw new NotFoundError(`no such room: ${room['id']}`)
  const fieldValue = readField(views.room, 'created_at', record)
  if (fieldValue.known && typeof parseTimestamp(fieldValue.value) === 'number') return fieldValue.value
  if (!metrics.includes(idleSince)) return undefined
  throw new UsageError(
    `${flag}: the idle time of room ${room['id']} is unknown, because it has no sessions and no created_at`,
    {
      hint: `exclude such rooms with: ${flag} 'sessions>0'`,
      lineEdit: { before: 'exclude such rooms with: ', add: [flag, 'sessions>0'] },
    },
  )
}
