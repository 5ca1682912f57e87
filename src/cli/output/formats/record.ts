import type { Visible } from '../../../host.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import type { Redact } from '../redaction/redaction.ts'
import type { Style } from '../terminal/style.ts'
import { joinVisible, own, visible } from '../terminal/visible.ts'
import { measureText, padText } from '../terminal/width.ts'
import { createRelativeFormat, formatToSecond, isTimeField } from '../views/time.ts'
import { cellOf, colorValue, type Item, isDeprecated, type View } from '../views/views.ts'
import { formatCell } from './cell.ts'

const gap = 2

interface RecordOptions {
  view: View
  fields?: readonly string[] | undefined
  style: Style
  /** Base of relative times, in milliseconds since 1970; undefined to omit relative times. */
  now: number | undefined
  /** Zone of timestamps; undefined to print timestamps as received. */
  zone?: TimeZone | undefined
  redact: Redact
}

/** Formats the fields of the view first, unless `fields` is given. Omits deprecated values. */
export function formatRecord(item: Item, { view, fields, style, now, zone, redact }: RecordOptions): Visible {
  const names = fields ?? [
    ...view.fields.filter((field) => Object.hasOwn(item, field)),
    ...view.columns.filter(({ field, value }) => field === 'status' && value).map(({ field }) => field),
    ...Object.keys(item).filter((field) => !view.fields.includes(field)),
  ]
  const shown = [...new Set(names)].filter((field) => !isDeprecated(view, field, item[field]))
  const labels = shown.map((field) => visible(formatCell(field, redact)))
  const width = labels.reduce((max, label) => Math.max(max, measureText(label)), 0)
  const formatTime = now === undefined ? undefined : createRelativeFormat(now)
  const lines = shown.map((field, i) => {
    const label = labels[i] ?? own``
    // If the computed value of a field is unknown, a record shows the received value.
    const text = formatCell(cellOf(view, field, item) ?? item[field], redact)
    if (text === '') return own`${style.dim(label)}\n`
    const time = zone ? formatToSecond(field, text, zone) : text
    const ago = isTimeField(field) ? formatTime?.(text) : undefined
    const age = ago === undefined ? own`` : style.dim(own` (${visible(ago)})`)
    return own`${style.dim(padText(label, width + gap))}${colorValue(field, visible(time), style)}${age}\n`
  })
  return joinVisible(lines)
}
