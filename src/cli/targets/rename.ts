import { counted, listNames } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import type { Substitution } from '../filter/substitution.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { readList } from '../lists/read-list.ts'
import { groupByName } from '../matching/match.ts'
import { type Item, readField, type View } from '../output/views/views.ts'
import { labelItem, maxNamed } from '../requests/describe-items.ts'

interface RenamedKind {
  list: 'listRooms' | 'listUsers'
  view: View
}

/**
 * Returns the changed names by item ID.
 * @throws {UsageError} if a new name is empty or not unique
 */
export async function planRenames(
  context: Context,
  kind: RenamedKind,
  items: readonly Item[],
  substitute: Substitution,
): Promise<ReadonlyMap<string, string>> {
  const idOf = (item: Item) => String(item[kind.view.id ?? 'id'])
  const renames = new Map<string, string>()
  for (const item of items) {
    const before = toText(item['name'] ?? '')
    const after = substitute(before)
    if (after === before) continue
    if (after.trim() === '')
      throw new UsageError(
        `--rename would remove the name of ${kind.view.noun[0]} ${labelItem(idOf(item), before)}`,
      )
    renames.set(idOf(item), after)
  }
  const kept = items.length - renames.size
  if (kept > 0)
    await context.notice(`--rename does not change the names of ${counted(kept, ...kind.view.noun)}`)
  if (renames.size > 0) await requireFreeNames(context, kind, renames)
  return renames
}

async function requireFreeNames(
  context: Context,
  { list, view }: RenamedKind,
  renames: ReadonlyMap<string, string>,
): Promise<void> {
  const all = new Map<string, Item>()
  const full = new FullRecords(context, list)
  const isPartial = (item: Item) => !readField(view, 'name', item).known
  for await (const { items } of readList(context, list, {}, { all: true }))
    for (const item of await full.complete(items, isPartial, ''))
      if (item) all.set(String(item[view.id ?? 'id']), { name: item['name'] })
  const groups = [...groupByName(all, (id, item) => renames.get(id) ?? item['name'])]
  const clashes = groups.filter(([, ids]) => ids.length > 1 && ids.some((id) => renames.has(id)))
  const [first, ...others] = clashes
  if (!first) return
  const [name, ids] = first
  const labels = ids.map((id) => labelItem(id, toText(all.get(id)?.['name'] ?? '')))
  const more =
    others.length > 0 ? `; ${counted(others.length, 'other name')} would also occur several times` : ''
  throw new UsageError(
    `${counted(ids.length, ...view.noun)} would have the name “${name}”: ${listNames(labels, maxNamed)}${more}; nothing was changed`,
    { hint: 'select fewer items with --where, or another name' },
  )
}
