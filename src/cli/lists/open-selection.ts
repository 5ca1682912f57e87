import { endpoints } from '../../api/endpoints.ts'
import { readTimeZone } from '../calendar/time-zone.ts'
import { isMetric, readAs } from '../filter/metric-types.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { selectView } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import type { ListName } from './paging/paged-list.ts'
import type { RoomValues, Selection } from './selection.ts'

interface Conditions {
  where?: readonly string[] | undefined
  search?: string | undefined
  /** Additional fields that the command needs, such as room metrics. */
  needs?: readonly string[]
  /** Receives the metrics of the rooms that match. */
  values?: RoomValues
}

/**
 * Opens a selection; undefined if there are no conditions and no needed metrics.
 * @throws {UsageError} for invalid conditions
 */
export async function openSelection(
  context: Context,
  name: ListName,
  { where, search, needs = [], values = new Map(), ...pace }: Conditions & PaceFlags,
): Promise<Selection | undefined> {
  const metrics = name === 'listRooms' ? needs.filter(isMetric) : []
  if (!where && search === undefined && metrics.length === 0) return undefined
  const { fieldsOfList, parseWhere } = await import('../filter/where.ts')
  const { Selection } = await import('./selection.ts')
  const view = selectView(endpoints[name])
  const zone = await readTimeZone(context)
  const conditions = await parseWhere(where ?? [], fieldsOfList(name), { now: context.host.now(), zone })
  context.instants.push(...conditions.instants)
  if (context.flags.dryRun)
    for (const instants of conditions.instants) await context.notice(`selected by ${instants}`)
  const filter =
    search === undefined
      ? conditions
      : (await import('../filter/search.ts')).withSearch(conditions, search, name, view)
  const full = await createFullRecords(context, name, undefined, pace.concurrency)
  const needed = [...filter.metrics, ...metrics.map(readAs)]
  if (!full || needed.length === 0) return new Selection(context, view, filter, { full, values })
  const { RoomMetricsReader } = await import('./room-metrics.ts')
  const reader = new RoomMetricsReader(context, { filter, needed, full, pace })
  return new Selection(context, view, filter, { full, values, metrics: reader })
}

export async function createFullRecords(
  context: Context,
  name: ListName,
  selection: Selection | undefined,
  concurrency?: number,
): Promise<FullRecords | undefined> {
  if (selection || name === 'listSessions' || name === 'listPages' || name === 'listDeliveries')
    return selection?.full
  const { FullRecords } = await import('./full-records.ts')
  return new FullRecords(context, name, undefined, concurrency)
}
