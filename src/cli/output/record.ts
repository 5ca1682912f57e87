import { deprecated } from '../../api/vocabulary.ts'
import type { Style } from './style.ts'
import { plainText } from './text.ts'
import { relativeTime } from './time.ts'
import { colourOf, type Item, type View } from './views.ts'
import { visible } from './visible.ts'
import { widthOfText } from './width.ts'

export interface RecordOptions {
  view: View
  fields?: readonly string[] | undefined
  style: Style
  /** For relative times; undefined leaves them out. */
  now: number | undefined
}

/** One thing, a line per field: the document’s fields first, then whatever else the service sent. */
export function formatRecord(item: Item, { view, fields, style, now }: RecordOptions): string {
  const names = fields ?? [
    ...view.fields.filter((field) => Object.hasOwn(item, field)),
    ...Object.keys(item).filter((field) => !view.fields.includes(field)),
  ]
  const shown = names.filter((field) => item[field] !== deprecated)
  const labels = shown.map(visible)
  const width = labels.reduce((most, label) => Math.max(most, widthOfText(label)), 0)
  return shown
    .map((field, i) => {
      const label = labels[i] ?? ''
      const text = plainText(
        item[field] ?? view.columns.find((column) => column.field === field)?.value?.(item),
      )
      const safe = colourOf(field, visible(text), style)
      const age =
        now !== undefined && field.endsWith('_at') && text ? style.dim(` (${relativeTime(text, now)})`) : ''
      return `${style.dim(label)}${' '.repeat(width - widthOfText(label) + 2)}${safe}${age}`.trimEnd()
    })
    .map((line) => `${line}\n`)
    .join('')
}
