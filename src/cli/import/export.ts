import { omitUndefined } from '../../api/defined.ts'
import { counted } from '../../api/plural.ts'
import { member, room, user } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { openSelection } from '../lists/open-selection.ts'
import { defaultPageSize } from '../lists/paging/page-size.ts'
import { readList } from '../lists/read-list.ts'
import { requireRooms } from '../lists/select-rooms.ts'
import type { Selection } from '../lists/selection.ts'
import { WithoutSecrets } from '../output/redaction/redaction.ts'
import type { Page } from '../output/views/page.ts'
import { type Item, type View, views } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import { previewEach } from '../requests/before-send.ts'
import { openRun } from '../run/run.ts'
import { readMembersOfRooms, UnreadRooms } from './export-members.ts'
import { describeUnrestored } from './unrestored.ts'

export interface ExportFlags {
  where?: string[]
  pageSize?: number
  allRooms?: boolean
  with?: 'last_seen'
  concurrency?: number
}

const exportKinds = {
  users: { resource: user, list: 'listUsers' },
  rooms: { resource: room, list: 'listRooms' },
  members: { resource: member, list: 'listMembers' },
} as const

/**
 * @param ids IDs of the items, or of the members’ rooms; `-` reads IDs from standard input
 * @throws {UsageError} for invalid flags, and for members without rooms or `--all-rooms`
 * @throws {MeetroomError} if an item cannot be exported
 */
export async function runExport(
  context: Context,
  name: keyof typeof exportKinds,
  ids: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  const { resource, list } = exportKinds[name]
  // Some services omit null fields, so a field may first appear on a later page.
  const { unlisted = [] } = views[resource.name]
  const view: View = {
    ...views[resource.name],
    alwaysShown: [...unlisted, ...(flags.with ? [flags.with] : []), ...(flags.allRooms ? ['room_name'] : [])],
  }
  const { output } = await context.settings()
  const isForeign = output.value === 'table' || output.value === 'ids'
  if (isForeign && output.from === '--output')
    throw new UsageError(
      `-o ${output.value} cannot be used with an export: formats are csv, tsv, ndjson and json`,
    )
  const printer = await context.printer(isForeign ? 'csv' : output.value)
  printer.check(view)
  if (list === 'listMembers') requireRooms(ids, flags.allRooms)
  const selection = await openSelection(context, list, flags)
  const { concurrency } = flags
  const full = selection?.full ?? new FullRecords(context, list, undefined, concurrency)
  const all = { all: true, ...omitUndefined({ pageSize: flags.pageSize }) }
  const given = await readIds(ids, context.host)
  if (context.flags.curl && given.length > 0)
    return previewEach(context, given, (client, id) =>
      list === 'listMembers'
        ? client.call('listMembers', {
            params: { room_id: id },
            query: { limit: flags.pageSize ?? defaultPageSize },
          })
        : readRecord(client, { kind: resource.name, id }),
    )
  const unreadRooms = new UnreadRooms(context)
  const pages =
    list === 'listMembers'
      ? readMembersOfRooms(context, flags.allRooms ? 'all' : given, all, {
          selection,
          full,
          withLastSeen: flags.with === 'last_seen',
          withRoomNames: printer.options.columns?.includes('room_name') ?? flags.allRooms === true,
          concurrency,
          ...(flags.allRooms && { unreadRooms }),
        })
      : ids.length > 0
        ? readRecords(context, resource.name, given, concurrency, selection)
        : readList(context, list, {}, { ...all, selection, isShared: true, full })
  const selected = selection ? selection.withReport(pages) : pages
  const { columns, showTokens } = printer.options
  const withoutSecrets = new WithoutSecrets(selected)
  const isChosen = showTokens || columns !== undefined
  const count = await printer.list(view, resource.plural, isChosen ? selected : withoutSecrets.pages())
  const omission = withoutSecrets.hasRemovedSecrets
    ? ', without access tokens (--show-tokens includes them)'
    : ''
  await context.notice(`exported ${counted(count, ...view.noun)}${omission}`)
  if (output.value === 'tsv')
    await context.notice('an import does not undo the escapes of TSV; export CSV for an import')
  if (count > 0) await context.notice(`an import elsewhere does not restore ${describeUnrestored(name)}`)
  unreadRooms.throwIfAny()
}

const recordsPerPage = 100

function readRecords(
  context: Context,
  kind: 'user' | 'room',
  ids: readonly string[],
  concurrency: number | undefined,
  selection: Selection | undefined,
) {
  async function* readPages(): AsyncGenerator<Page, undefined> {
    const run = await openRun(context, { concurrency }, { total: ids.length })
    let items: Item[] = []
    for await (const item of run.read(ids, (id) => readRecord(run.client, { kind, id }))) {
      items.push(item)
      if (items.length < recordsPerPage) continue
      yield { items }
      items = []
    }
    if (items.length > 0) yield { items }
  }
  return selection ? selection.from(readPages(), '') : readPages()
}
