import type { Visible } from '../../../host.ts'
import { markVisible } from '../terminal/visible.ts'
import { measureText } from '../terminal/width.ts'
import type { Column } from '../views/views.ts'

export const columnGap = 2
const minColumnWidth = 4

/**
 * Returns column widths that fit `width` if possible; 0 omits a column. Columns of low weight shrink and
 * disappear first.
 */
export function shrinkToFit(
  natural: readonly number[],
  columns: readonly (Column & { isEmpty?: boolean })[],
  width: number,
): number[] {
  const sizes = [...natural]
  const excess = () =>
    sizes.reduce((sum, size) => sum + (size > 0 ? size + columnGap : 0), -columnGap) - width
  const leastFirst = columns
    .map((_, i) => i)
    .sort((a, b) => (columns[a]?.weight ?? 0) - (columns[b]?.weight ?? 0))
  const cutTo = (min: number) => {
    for (const i of leastFirst.slice(0, -1)) {
      const size = sizes[i] ?? 0
      if (excess() > 0 && size > min) sizes[i] = Math.max(min, size - excess())
    }
  }
  const drop = (candidates: readonly number[]) => {
    for (const i of candidates) if (excess() > 0) sizes[i] = 0
  }
  drop(leastFirst.slice(0, -1).filter((i) => columns[i]?.isEmpty))
  drop(leastFirst.slice(0, -1).filter((i) => (columns[i]?.weight ?? 0) < 1))
  cutTo(24)
  cutTo(16)
  drop(leastFirst.slice(0, -2))
  cutTo(minColumnWidth)
  drop(leastFirst.slice(0, -1))
  const last = leastFirst.at(-1)
  if (last !== undefined && excess() > 0) sizes[last] = Math.max(1, width)
  for (const i of leastFirst.toReversed()) {
    const size = sizes[i] ?? 0
    if (size > 0) sizes[i] = Math.min(natural[i] ?? size, size + Math.max(0, -excess()))
  }
  return sizes
}

/** Truncates between graphemes, unlike cli-table3, whose truncation also takes quadratic time. */
export function truncate(text: Visible, width: number, mark = '…'): Visible {
  if (text.length <= width && /^[ -~]*$/.test(text)) return text
  if (text.length <= 1000 && measureText(text) <= width) return text
  const end = mark.slice(0, width)
  let kept = ''
  let size = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    size += measureText(segment)
    // A joiner at the end has nothing to join.
    if (size > width) return markVisible(kept.replace(/\p{Join_C}$/u, '') + end)
    if (size <= width - end.length) kept += segment
  }
  return text
}
