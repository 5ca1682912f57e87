import type { Host } from '../../host.ts'
import { canShowUnicode } from '../output/terminal/unicode.ts'
import { computeCoverage, type Interval } from './intervals.ts'

const symbolSets = { blocks: '░▒█', ascii: '.+#' } as const
export type BarSymbols = keyof typeof symbolSets

export function selectBarSymbols(host: Host): BarSymbols {
  return canShowUnicode(host) ? 'blocks' : 'ascii'
}

export function drawAttendanceBar(
  intervals: readonly Interval[],
  meeting: Interval,
  width: number,
  symbols: BarSymbols,
): string {
  const [empty = '', partial = '', full = ''] = symbolSets[symbols]
  return computeCoverage(intervals, meeting, width)
    .map((covered) => (covered === 0 ? empty : covered > 0.95 ? full : partial))
    .join('')
}

export function drawAxis(start: string, end: string, width: number): string {
  const blanks = width - start.length - end.length
  return blanks < 1 ? start.slice(0, width) : start + ' '.repeat(blanks) + end
}
