import type { Host } from '../../host.ts'
import { showsUnicode } from '../output/terminal/unicode.ts'
import { coverage, type Interval } from './intervals.ts'

/** What stands for nobody, for a part of the time and for all of it. */
const marks = { blocks: '░▒█', ascii: '.+#' } as const
export type BarSymbols = keyof typeof marks

/** Blocks where they can be shown. */
export function barSymbols(host: Host): BarSymbols {
  return showsUnicode(host) ? 'blocks' : 'ascii'
}

/** A meeting from its start to its end, with the time in which somebody was there. */
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

/** The axis over the bars: the times at which the meeting began and ended. */
export function axisOf(start: string, end: string, width: number): string {
  const blanks = width - start.length - end.length
  return blanks < 1 ? start.slice(0, width) : start + ' '.repeat(blanks) + end
}
