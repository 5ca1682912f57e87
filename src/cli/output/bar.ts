import { toText } from '../../api/to-text.ts'
import type { Host } from '../../host.ts'
import { columnGap } from './formats/fit.ts'
import { readTerminalWidth } from './terminal/style.ts'
import { measureText } from './terminal/width.ts'
import { cellOf, type Item, type View } from './views/views.ts'

const maxWidth = 40
/** Minimum width of a bar, in columns. */
const minWidth = 8

export function createBarColumn(
  { stdout, env }: Pick<Host, 'stdout' | 'env'>,
  view: View,
  rows: readonly Item[],
): View {
  const width = readTerminalWidth(stdout, env)
  if (width === undefined) return view
  const sizes = view.columns.map(({ field }) =>
    rows.reduce((max, row) => Math.max(max, measureText(toText(cellOf(view, field, row)))), field.length),
  )
  const room = width - sizes.reduce((sum, size) => sum + size + columnGap, 0)
  if (room < minWidth) return view
  const max = rows.reduce((max, { count }) => Math.max(max, Number(count)), 1)
  const bar = (count: unknown) => drawBar(Number(count) / max, Math.min(room, maxWidth))
  return { ...view, columns: [...view.columns, { field: '', weight: 1, value: ({ count }) => bar(count) }] }
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** Draws a bar in eighths of a column. `share` is from 0 to 1; a share above 0 is always visible. */
export function drawBar(share: number, width: number): string {
  const steps = Math.round(share * width * 8)
  const visibleSteps = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(visibleSteps / 8)) + eighths[visibleSteps % 8]
}
