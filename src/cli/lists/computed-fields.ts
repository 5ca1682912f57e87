import { endpoints } from '../../api/endpoints.ts'
import { parseTimestamp } from '../../api/readings.ts'
import { resources } from '../../api/resources.ts'
import { toText } from '../../api/to-text.ts'
import { formatAge } from '../../duration.ts'
import { computedTypes, idleSince } from '../filter/metric-types.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import { cellOf, type Item, readField, selectView, type View } from '../output/views/views.ts'
import { openSelection } from './open-selection.ts'
import type { ListName } from './paging/paged-list.ts'
import type { RoomValues, Selection } from './selection.ts'

/**
 * Creates a view with the fields that only meetroom computes.
 * @param showAge converts an age in milliseconds to the value of the field
 */
export function createComputedView(
  { host }: Context,
  list: ListName,
  values: RoomValues,
  showAge: (ms: number) => unknown = formatAge,
): View {
  const view = selectView(endpoints[list])
  const now = host.now()
  const readAge = (start: unknown) => {
    const ms = parseTimestamp(start)
    return typeof ms === 'number' ? showAge(now - ms) : ms
  }
  const read = (name: string, item: Item) => {
    const created = name === 'age' ? readField(view, 'created_at', item) : undefined
    if (created) return created.known ? readAge(created.value) : undefined
    const metrics = values.get(toText(item['id']))
    return name === 'idle' ? readAge(metrics?.[idleSince]) : metrics?.[name]
  }
  const computed = [...computedTypes(resources[endpoints[list].resource]).keys()]
  const derived = computed.map((name) => [name, (item: Item) => read(name, item)] as const)
  return { ...view, derived: new Map([...(view.derived ?? []), ...derived]) }
}

export async function* addComputedColumns(
  context: Context,
  list: ListName,
  pages: AsyncIterable<Page>,
  columns: readonly string[],
  { values, selection, ...pace }: PaceFlags & { values: RoomValues; selection: Selection | undefined },
): AsyncGenerator<Page> {
  const types = computedTypes(resources[endpoints[list].resource])
  const names = columns.filter((name) => types.has(name))
  const needs = names.filter((name) => !selection?.reads(name))
  const reading = await openSelection(context, list, { needs, values, ...pace })
  const view = createComputedView(context, list, values)
  for await (const { items } of reading ? reading.withReport(reading.from(pickItems(pages), '')) : pages)
    yield {
      items: items.map((item) => ({
        ...item,
        ...Object.fromEntries(names.map((name) => [name, cellOf(view, name, item)])),
      })),
    }
}

/** Omits the total, because the number of rooms to read may differ. */
async function* pickItems(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const { items } of pages) yield { items }
}
