import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { isRecord } from '../../../api/guards.ts'
import { counted, plural } from '../../../api/plural.ts'
import { toText } from '../../../api/to-text.ts'
import type { DeliveryState } from '../../../api/vocabulary.ts'
import { ApiError, MeetroomError, ServiceError, suggest, suggestHelp, UsageError } from '../../../errors.ts'
import { requireMoment } from '../../calendar/near-moment.ts'
import { readTimeZone } from '../../calendar/time-zone.ts'
import { readIds } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { PaceFlags } from '../../kernel/flags.ts'
import { readList } from '../../lists/read-list.ts'
import { describeItems, labelItem, maxNamed } from '../../requests/describe-items.ts'
import { findDataDir } from '../../requests/find-service.ts'
import { isMissingOperation } from '../../requests/missing-operation.ts'
import { confirmItems } from '../../run/confirm-items.ts'
import { writeTargets } from '../../targets/write-targets.ts'

interface RedeliverFlags extends PaceFlags {
  since?: string
  room?: string
  status?: DeliveryState
  max?: number
}

export async function readSince(context: Context, text: string): Promise<string> {
  const start = requireMoment('--since', text, context.host.now(), await readTimeZone(context))
  return new Date(start).toISOString()
}

/** Throws the error, translated if the service does not store webhook deliveries. */
export function throwEmbeddedOnly(error: unknown): never {
  if (!(error instanceof MeetroomError)) throw error
  const { status, request, body } = error
  const code = isRecord(body) && isRecord(body['error']) ? body['error']['code'] : undefined
  const isUnclear = error instanceof ApiError && status === 400 && code !== 'invalid_parameters'
  if (!isUnclear && !isMissingOperation(error)) throw error
  throw new ServiceError('the service does not store webhook deliveries; only the embedded service does', {
    hint: ['see: ', suggest(['help', 'webhooks'])],
    ...{ status, request, body, cause: error },
  })
}

export async function runRedeliver(
  context: Context,
  given: readonly string[],
  flags: RedeliverFlags,
): Promise<void> {
  const ids = await (flags.since === undefined
    ? readGiven(context, given, flags)
    : selectSince(context, given, flags.since, flags))
  const inputFor = (delivery_id: string) => ({ params: { delivery_id }, body: {} })
  await writeTargets(context, { name: 'redeliver', ids, inputFor, pastTense: 'queued' }, flags)
  if (ids.length > 0) await noticeUnserved(context)
}

async function readGiven(
  context: Context,
  given: readonly string[],
  { room, status, max }: RedeliverFlags,
): Promise<string[]> {
  const flag = room !== undefined ? '--room' : status !== undefined ? '--status' : undefined
  if (flag) throw new UsageError(`${flag} needs --since`)
  if (given.length === 0)
    throw new UsageError('the argument “id” is missing', {
      hint: [
        'pass IDs, “-” to read them from a pipe, or --since; see: ',
        suggestHelp('webhooks', 'redeliver'),
      ],
    })
  const ids = await readIds(given, context.host)
  await confirmItems(context, { count: ids.length, nouns: 'deliveries', max })
  // A service without deliveries may respond to each ID as if that delivery did not exist.
  if (!context.flags.dryRun && !context.flags.curl)
    await (await context.client()).call('listDeliveries', { query: { limit: 1 } }).catch(throwEmbeddedOnly)
  return ids
}

/** Selects deliveries since a time, oldest first, and asks for confirmation. */
async function selectSince(
  context: Context,
  given: readonly string[],
  text: string,
  { room: room_id, status: state, max }: RedeliverFlags,
): Promise<string[]> {
  if (given.length > 0) throw createFlagConflict('IDs', '--since')
  context.refuseCurl('the deliveries that --since selects')
  const since = await readSince(context, text)
  const labels = new Map<string, string>()
  let waiting = 0
  try {
    const query = { room_id, state, since }
    for await (const { items } of readList(context, 'listDeliveries', { query }, { all: true }))
      for (const item of items)
        if (state === undefined && item['state'] === 'waiting') waiting++
        else labels.set(toText(item['id']), toText(item['action'] ?? ''))
  } catch (error) {
    throwEmbeddedOnly(error)
  }
  if (waiting > 0)
    await context.notice(
      `${counted(waiting, 'delivery', 'deliveries')} ${plural(waiting, 'waits', 'wait')} for a retry and ${plural(waiting, 'is', 'are')} omitted; --status waiting sends them now`,
    )
  const ids = [...labels.keys()].reverse()
  const items = { count: ids.length, nouns: 'deliveries', max }
  await confirmItems(context, items, {
    activity: 'redelivering events',
    describe: async () => {
      const named = ids.slice(0, maxNamed).map((id) => labelItem(id, labels.get(id) ?? ''))
      return `redeliver ${describeItems(['delivery', 'deliveries'], named, ids.length)}, since ${since}`
    },
  })
  return ids
}

async function noticeUnserved(context: Context): Promise<void> {
  const { dryRun, curl } = context.flags
  if (dryRun || curl || !(await context.settings()).local) return
  const { findServingProcess } = await import('../../../embedded/running-server.ts')
  if (await findServingProcess(await findDataDir(context.host), context.host)) return
  await context.notice([
    'the local workspace is not served, so it sends no webhooks; serve it with: ',
    suggest(['serve']),
  ])
}
