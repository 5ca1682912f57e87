import { omitUndefined } from '../../api/defined.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, ServiceError } from '../../errors.ts'
import { readTimeZone } from '../calendar/read-time-zone.ts'
import { isMetric, readAs } from '../filter/metric-types.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags, PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import { selectView } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import type { ListName } from './paging/list-name.ts'
import { listPagesOf } from './paging/pages-of.ts'
import { ReadAhead } from './paging/read-ahead.ts'
import type { RoomValues, Selection } from './selection.ts'

interface ListOptions {
  /** Client of a pool, in which several lists are read concurrently. */
  client?: Client | undefined
  /** Maximum number of pages to request ahead; by default it adapts to the latency. */
  ahead?: number
  /** Filter of the items. The caller must pass the pages to its `withReport`. */
  selection?: Selection | undefined
}

/** Lists the pages that the flags select. Throws after the last page if the list is incomplete. */
export async function listPages<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: Omit<ListFlags, 'where'>,
  { ahead, selection, client: listClient }: ListOptions = {},
): Promise<AsyncGenerator<Page, Page | undefined>> {
  const { all = false, limit, offset, pageSize } = flags
  const request = selection ? { all: true, pageSize } : { all, limit, offset, pageSize }
  const readAhead = new ReadAhead({
    // Latency says little in a pool, because other lists use the connections.
    ...(!listClient && { clock: context.host }),
    ...omitUndefined({ max: ahead }),
  })
  const client = listClient ?? (await context.client())
  const listed = listPagesOf(context, client, name, input, request, readAhead)
  const user = context.flags.curl ? undefined : readUserId(input)
  const pages = user === undefined ? listed : requireUserOfEmpty(listed, client, user)
  return selection ? selection.from(pages, readRoomId(input), { limit, offset }) : pages
}

/**
 * Checks that the user of a filter exists if the list is empty, before any page of it is printed.
 * @throws {NotFoundError} when the user does not exist
 */
async function* requireUserOfEmpty(
  pages: AsyncGenerator<Page>,
  client: Client,
  user_id: string,
): AsyncGenerator<Page, undefined> {
  const empty: Page[] = []
  let isEmpty = true
  for await (const page of pages) {
    if (isEmpty && page.items.length === 0) {
      empty.push(page)
      continue
    }
    isEmpty = false
    yield* empty.splice(0)
    yield page
  }
  if (isEmpty) await client.call('getUser', { params: { user_id } }).catch(ignoreUnknownUsers)
  yield* empty
}

/** Ignores services that do not show single users. */
function ignoreUnknownUsers(error: unknown): void {
  const isUnknown = error instanceof ApiError || error instanceof ServiceError
  if (!isUnknown) throw error
}

interface Conditions {
  where?: readonly string[] | undefined
  search?: string | undefined
  /** Fields that the command needs in addition. Room metrics among them are read. */
  needs?: readonly string[]
  /** Receives the metrics of the rooms that match. */
  values?: RoomValues
}

/**
 * @param flags conditions, and the concurrency and rate of requests for room metrics
 * @throws {UsageError} for invalid conditions
 */
export async function openSelection(
  context: Context,
  name: ListName,
  { where, search, needs = [], values = new Map(), ...pace }: Conditions & PaceFlags,
): Promise<Selection | undefined> {
  const metrics = name === 'listRooms' ? needs.filter(isMetric) : []
  if (!where && search === undefined && metrics.length === 0) return undefined
  const { parseWhere } = await import('../filter/where.ts')
  const { Selection } = await import('./selection.ts')
  const view = selectView(endpoints[name])
  const zone = await readTimeZone(context)
  const conditions = await parseWhere(where ?? [], name, view, { now: context.host.now(), zone })
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

export async function selectPages<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: Omit<ListFlags, 'where'>,
  selection: Selection | undefined,
): Promise<AsyncGenerator<Page, Page | undefined>> {
  const pages = await listPages(context, name, input, flags, { selection })
  return selection ? selection.withReport(pages) : pages
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

/** Returns the user whom the list is filtered by; anonymous participants have no ID. */
const readUserId = (input: object) => (input as { query?: { user_id?: string } }).query?.user_id || undefined

export const readRoomId = (input: object) =>
  (input as { params?: { room_id?: string } }).params?.room_id ?? ''
