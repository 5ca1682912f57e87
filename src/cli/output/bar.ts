import { textOf } from '../../api/text-of.ts'
import type { Host } from '../../host.ts'
import { gap } from './formats/fit.ts'
import { widthOf } from './terminal/style.ts'
import { widthOfText } from './terminal/width.ts'
import { cellOf, type Item, type View } from './views/views.ts'

const longest = 40
/** Minimum width of a bar, in columns. */
const shortest = 8

/** Adds a column of bars to a view with a `count` field, if the terminal is wide enough. */
export function barColumn(
  { stdout, env }: Pick<Host, 'stdout' | 'env'>,
  view: View,
  rows: readonly Item[],
): View {
  const width = widthOf(stdout, env)
  if (width === undefined) return view
  const sizes = view.columns.map(({ field }) =>
    rows.reduce((most, row) => Math.max(most, widthOfText(textOf(cellOf(view, field, row)))), field.length),
  )
  const room = width - sizes.reduce((sum, size) => sum + size + gap, 0)
  if (room < shortest) return view
  const most = rows.reduce((most, { count }) => Math.max(most, Number(count)), 1)
  const bar = (count: unknown) => barOf(Number(count) / most, Math.min(room, longest))
  return { ...view, columns: [...view.columns, { field: '', weight: 1, value: ({ count }) => bar(count) }] }
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** Draws a bar in eighths of a column. `share` is from 0 to 1; a share above 0 is always visible. */
export function barOf(share: number, width: number): string {
  const steps = Math.round(share * width * 8)
  const least = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(least / 8)) + eighths[least % 8]
}
