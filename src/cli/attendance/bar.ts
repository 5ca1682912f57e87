import type { Host } from '../../host.ts'
import { canShowUnicode } from '../output/terminal/unicode.ts'
import { coverage, type Interval } from './intervals.ts'

const marks = { blocks: '░▒█', ascii: '.+#' } as const
export type BarSymbols = keyof typeof marks

export function barSymbols(host: Host): BarSymbols {
  return canShowUnicode(host) ? 'blocks' : 'ascii'
}

export function barOf(
  intervals: readonly Interval[],
  meeting: Interval,
  width: number,
  kind: BarSymbols,
): string {
  const [none = '', part = '', whole = ''] = marks[kind]
  return coverage(intervals, meeting, width)
    .map((covered) => (covered === 0 ? none : covered > 0.95 ? whole : part))
    .join('')
}

/** Draws the axis above the bars, from the start to the end of the meeting. */
export function axisOf(start: string, end: string, width: number): string {
  const blanks = width - start.length - end.length
  return blanks < 1 ? start.slice(0, width) : start + ' '.repeat(blanks) + end
}
