import { textOf } from '../../../../api/text-of.ts'
import type { Visible } from '../../../../host.ts'
import { clockOf, dayOf } from '../../../attendance/clock.ts'
import { beginningOf, inOrder } from '../../../attendance/session-times.ts'
import { truncate } from '../../../output/formats/fit.ts'
import { TableWriter } from '../../../output/formats/table.ts'
import type { Redact } from '../../../output/redaction/redact.ts'
import type { Style } from '../../../output/terminal/style.ts'
import { composed, joined, own, visible } from '../../../output/terminal/visible.ts'
import { measureText } from '../../../output/terminal/width.ts'
import { colorValue, type Item } from '../../../output/views/views.ts'
import type { Person } from './events.ts'
import { peopleView } from './people-view.ts'
import type { Scene } from './scene.ts'

export interface Canvas {
  columns: number
  lines: number
  style: Style
  redact: Redact
  header: boolean
  fields: readonly string[] | undefined
  /** Milliseconds since 1970. */
  now: number
}

export interface Picture extends Scene {
  room_id: string
  /** Start of an outage; undefined while the service responds. */
  lost: string | undefined
  changes: readonly Visible[]
  /** Text that says how to end the watch; undefined after the end. */
  hint: Visible | undefined
}

/** Minimum number of lines for the full layout. */
const roomy = 8

export function frame(picture: Picture, canvas: Canvas): Visible[] {
  const { style, lines: most } = canvas
  const head = titleOf(picture, canvas)
  const some = picture.changes.slice(-Math.floor(most / 4) || picture.changes.length)
  const changes = most >= roomy && some.length > 0 ? [own``, ...some] : []
  const foot = most >= roomy && picture.hint ? [own``, style.dim(picture.hint)] : []
  const room = Math.max(1, most - head.length - changes.length - foot.length)
  const people = picture.online === 0 ? [own`nobody is in the room`] : rowsOf(picture, canvas, room)
  return [...head, ...people, ...changes, ...foot].slice(0, most)
}

/** Draws the title: `Weekly sync · active · 3 online`. */
function titleOf({ room, room_id, online, lost }: Picture, canvas: Canvas): Visible[] {
  const { style, columns, redact } = canvas
  const status = visible(redact(textOf(room.status)))
  const rest = [...(status === '' ? [] : [status]), own`${visible(counted(online))} online`]
  // The bundler escapes non-ASCII characters in tagged templates.
  const dot = visible(' · ')
  // The name is truncated before the other parts.
  const left = columns - measureText(joined([own``, ...rest], dot))
  const name = truncate(visible(redact(textOf(room.name) || room_id)), Math.max(1, left))
  const coloured = rest.map((text) => colorValue('status', text, style))
  const title = left > 0 ? joined([style.bold(name), ...coloured], dot) : truncate(joined(rest, dot), columns)
  const away = lost === undefined ? [] : [style.red(truncate(visible(lost), columns))]
  return [title, ...away]
}

/** Draws the earliest arrivals first, so that rows keep their place. */
function rowsOf({ people, online }: Picture, canvas: Canvas, room: number): Visible[] {
  const { columns, fields, style, now, redact } = canvas
  const header = canvas.header && room > 3
  const space = room - (header ? 2 : 0)
  const isCut = online > space
  const shown = inOrder(people()).slice(0, isCut ? Math.max(1, space - 1) : space)
  const table = new TableWriter({ view: peopleView, fields, header, style, width: columns, now, redact })
  const rows = table.page(shown.map((person) => rowOf(person, now)))
  const lines = rows.split('\n').slice(0, -1).map(composed)
  if (!isCut) return lines
  const more = visible(`…and ${counted(online - shown.length)} more`)
  return [...lines, style.dim(truncate(more, columns))]
}

function rowOf(person: Person, now: number): Item {
  const since = beginningOf(person)
  if (Number.isNaN(since)) return { ...person, name: nameOf(person), since: '', minutes: '' }
  const isToday = dayOf(since) === dayOf(now)
  return {
    ...person,
    name: nameOf(person),
    since: isToday ? clockOf(since) : `${dayOf(since)} ${clockOf(since)}`,
    // The clock of the service may be ahead of this one.
    minutes: Math.max(0, Math.floor((now - since) / 60_000)),
  }
}

export function nameOf({ name, user_id }: Person): unknown {
  return name ?? (user_id === null ? 'anonymous participant' : null)
}

function counted(count: number): string {
  return count.toLocaleString('en')
}
