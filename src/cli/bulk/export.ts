import { defined } from '../../api/defined.ts'
import { listed, type Resource, unlisted } from '../../api/resource.ts'
import { member, room, user } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ListFlags } from '../flags.ts'
import { listPages, parseFilter } from '../operations/list.ts'
import type { Page } from '../output/printer.ts'
import { type View, views } from '../output/views.ts'

export interface ExportFlags {
  where?: string[]
  pageSize?: number
  allRooms?: boolean
}

/** How many pages, or rooms, are on their way while one is written. */
const ahead = 4

const exported = { users: user, rooms: room, members: member } as const

/** The columns of an export: what the document lists, and what services send beyond it. */
export function exportColumns({ fields }: Resource): string[] {
  return [...listed(fields), ...unlisted(fields)].map(([name]) => name)
}

/**
 * Writes everything there is of a kind, for `import` to read again: CSV unless another format is asked for.
 * @param rooms for members, the rooms whose members are wanted
 */
export async function runExport(
  context: Context,
  name: keyof typeof exported,
  rooms: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  const resource = exported[name]
  const view: View = { ...views[resource.name], fields: exportColumns(resource) }
  const { output } = await context.settings()
  const asked = output.from === '--output'
  if (asked && (output.value === 'table' || output.value === 'ids'))
    throw new UsageError(`an export is csv, ndjson or json, not ${output.value}`)
  const printer = await context.printer(
    output.value === 'ndjson' || output.value === 'json' ? output.value : 'csv',
  )
  printer.check(view)
  const count = await printer.list(view, resource.plural, await pagesOf(context, name, rooms, flags))
  await context.notice(`exported ${count} ${count === 1 ? view.noun[0] : view.noun[1]}`)
}

async function pagesOf(
  context: Context,
  name: keyof typeof exported,
  rooms: readonly string[],
  { where, pageSize, allRooms }: ExportFlags,
): Promise<AsyncIterable<Page>> {
  const all: ListFlags = { all: true, ...defined({ pageSize }) }
  const list: ListFlags = { ...all, ...defined({ where }) }
  if (name === 'users') return listPages(context, 'listUsers', {}, list, ahead)
  if (name === 'rooms') return listPages(context, 'listRooms', {}, list, ahead)
  if ((rooms.length === 0) !== (allRooms === true))
    throw new UsageError('name the rooms whose members are wanted, or say --all-rooms')
  if (where) await parseFilter(context, 'listMembers', where)
  const ids = allRooms ? allRoomIds(context, all) : new Set(rooms)
  return inOrder(ids, ahead, (room_id) =>
    listPages(context, 'listMembers', { params: { room_id }, query: {} }, list, 1),
  )
}

async function* allRoomIds(context: Context, all: ListFlags): AsyncGenerator<string> {
  for await (const { items } of await listPages(context, 'listRooms', {}, all, 1))
    for (const { id } of items) yield String(id)
}

/** The pages of several lists one list after the other, the first pages of the next ones on their way already. */
async function* inOrder(
  ids: AsyncIterable<string> | Iterable<string>,
  most: number,
  pagesOfOne: (id: string) => Promise<AsyncGenerator<Page>>,
): AsyncGenerator<Page> {
  const begun: Promise<{ pages: AsyncGenerator<Page>; first: IteratorResult<Page> }>[] = []
  async function* drain(left: number): AsyncGenerator<Page> {
    while (begun.length > left) {
      const { pages, first } = await (begun.shift() as (typeof begun)[number])
      if (first.done) continue
      yield membersOf(first.value)
      for await (const page of pages) yield membersOf(page)
    }
  }
  for await (const id of ids) {
    const one = pagesOfOne(id).then(async (pages) => ({ pages, first: await pages.next() }))
    one.catch(() => {})
    begun.push(one)
    yield* drain(most)
  }
  yield* drain(0)
}

/** The members of a page that are users: anonymous participants come and go, and cannot be invited. */
function membersOf({ items, plain }: Page): Page {
  return { items: items.filter((member) => member['user_id'] !== null), ...defined({ plain }) }
}
