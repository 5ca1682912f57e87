import { listNames } from '../../../../api/plural.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'

const maxLabelIntervals = 20
/** Width of a timeline, in SVG units. */
const width = 1000

/** Draws the attendance of a person, with a label for screen readers. */
export function drawTimeLine(intervals: readonly Interval[], [start, end]: Interval, zone: TimeZone): Html {
  const timeOf = zone.createFormat([start, end])
  const scale = end > start ? width / (end - start) : 0
  const named = intervals.slice(0, maxLabelIntervals).map(([from, to]) => `${timeOf(from)} to ${timeOf(to)}`)
  const label = visible(listNames(named, maxLabelIntervals, intervals.length) || 'not there')
  const bars = joinNear(intervals, scale).map(([from, to]) => {
    // An interval of zero length must be visible.
    const size = Math.max(2, scale === 0 ? width : (to - from) * scale)
    const x = Math.min(width - size, (from - start) * scale)
    return markup`<rect class="there" x="${roundCoordinate(x)}" y="3" width="${roundCoordinate(size)}" height="10"/>`
  })
  return markup`<svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><rect class="meeting" x="0" y="3" width="${width}" height="10"/>${bars}</svg>`
}

/** Draws a bar for minutes. Screen readers skip the bar, because another cell contains the number. */
export function drawMinutes(minutes: number, most: number): Html {
  const size = most === 0 ? 0 : roundCoordinate((minutes / most) * width)
  return markup`<svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" aria-hidden="true"><rect class="there" x="0" y="3" width="${size}" height="10"/></svg>`
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

function roundCoordinate(value: number): number {
  return Math.round(value * 10) / 10
}
