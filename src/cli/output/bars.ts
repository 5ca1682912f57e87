import { toText } from '../../api/to-text.ts'
import type { Host, Visible } from '../../host.ts'
import { columnGap } from './formats/fit.ts'
import { type Html, markup } from './html.ts'
import { readTerminalWidth } from './terminal/style.ts'
import { measureText } from './terminal/width.ts'
import { cellOf, type Item, type View } from './views/views.ts'

type Interval = readonly [start: number, end: number]

const maxWidth = 40
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

/** @param share from 0 to 1; any share above 0 is visible */
export function drawBar(share: number, width: number): string {
  const steps = Math.round(share * width * 8)
  const visibleSteps = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(visibleSteps / 8)) + eighths[visibleSteps % 8]
}

export function drawTimeline(
  intervals: readonly Interval[],
  span: Interval,
  width: number,
  hasUnicode: boolean,
): string {
  const [empty = '', partial = '', full = ''] = hasUnicode ? '░▒█' : '.+#'
  return computeCoverage(intervals, span, width)
    .map((covered) => (covered === 0 ? empty : covered > 0.95 ? full : partial))
    .join('')
}

export function drawAxis(start: string, end: string, width: number): string {
  const blanks = width - start.length - end.length
  return blanks < 1 ? start.slice(0, width) : start + ' '.repeat(blanks) + end
}

/** Returns shares from 0 to 1. Even an interval of zero length covers a share above 0. */
export function computeCoverage(
  intervals: readonly Interval[],
  [from, to]: Interval,
  pieces: number,
): number[] {
  const size = (to - from) / pieces
  const covered = new Array<number>(pieces).fill(0)
  if (size === 0) return covered.fill(intervals.length > 0 ? 1 : 0)
  for (const [start, end] of intervals) {
    const first = Math.min(pieces - 1, Math.max(0, Math.floor((start - from) / size)))
    for (let i = first; i < pieces && (i === first || from + i * size < end); i++) {
      const inside = Math.min(end, from + (i + 1) * size) - Math.max(start, from + i * size)
      covered[i] = Math.min(1, (covered[i] ?? 0) + Math.max(Number.EPSILON, inside / size))
    }
  }
  return covered
}

const svgWidth = 1000

/** Maximum gap between two parts of a timeline, in SVG units. */
const partGap = 8

/** @param parts spans to draw side by side on one scale */
export function drawSvgTimeline(
  intervals: readonly Interval[],
  parts: readonly Interval[],
  label: Visible,
): Html {
  const gap = Math.min(partGap, svgWidth / 4 / parts.length)
  const space = svgWidth - gap * (parts.length - 1)
  const total = parts.reduce((sum, [start, end]) => sum + end - start, 0)
  const scale = total > 0 ? space / total : 0
  let left = 0
  const drawn = parts.map(([start, end]) => {
    const width = scale === 0 ? space / parts.length : (end - start) * scale
    const inside = parts.length === 1 ? intervals : clip(intervals, [start, end])
    const bars = joinNear(inside, scale).map(([from, to]) => {
      // A very short interval must be visible.
      const size = Math.max(2, scale === 0 ? width : (to - from) * scale)
      const x = left + Math.min(width - size, (from - start) * scale)
      return markup`<rect class="there" x="${round(Math.max(0, x))}" y="3" width="${round(size)}" height="10"/>`
    })
    const back = markup`<rect class="meeting" x="${round(left)}" y="3" width="${round(width)}" height="10"/>`
    left += width + gap
    return markup`${back}${bars}`
  })
  return markup`<svg viewBox="0 0 ${svgWidth} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title>${drawn}</svg>`
}

function clip(intervals: readonly Interval[], [start, end]: Interval): Interval[] {
  return intervals.flatMap(([from, to]): Interval[] =>
    from <= end && to >= start ? [[Math.max(from, start), Math.min(to, end)]] : [],
  )
}

/** @param share from 0 to 1. Screen readers skip the bar, because another cell has the number. */
export function drawSvgBar(share: number): Html {
  return markup`<svg viewBox="0 0 ${svgWidth} 16" preserveAspectRatio="none" aria-hidden="true"><rect class="there" x="0" y="3" width="${round(share * svgWidth)}" height="10"/></svg>`
}

/** Chart measures in SVG units. `step` includes the gap between bars. */
const [step, height] = [10, 100]

interface ChartBar {
  title: Visible
  /** Part of the height of the chart, from 0 to 1. */
  share: number
}

export function drawSvgChart(bars: readonly ChartBar[], label: Visible): Html {
  const drawn = bars.map(({ title, share }, i) => {
    const size = round(share * height)
    return markup`<rect class="bar" x="${i * step + 1}" y="${height - size}" width="${step - 2}" height="${size}"><title>${title}</title></rect>`
  })
  return markup`<svg class="chart" viewBox="0 0 ${bars.length * step} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawn}</svg>`
}

/** Joins intervals that are less than one SVG unit apart, to limit the number of bars. */
function joinNear(intervals: readonly Interval[], scale: number): Interval[] {
  const joined: [number, number][] = []
  for (const [start, end] of intervals) {
    const last = joined.at(-1)
    if (last && (start - last[1]) * scale < 1) last[1] = end
    else joined.push([start, end])
  }
  return joined
}

const round = (value: number): number => Math.round(value * 10) / 10
