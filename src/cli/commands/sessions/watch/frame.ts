import { andMore } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Visible } from '../../../../host.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { truncate } from '../../../output/formats/fit.ts'
import { TableWriter } from '../../../output/formats/table.ts'
import type { Redact } from '../../../output/redaction/redaction.ts'
import type { Style } from '../../../output/terminal/style.ts'
import { joinVisible, markVisible, own, visible } from '../../../output/terminal/visible.ts'
import { measureText } from '../../../output/terminal/width.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import { colorValue, type Item } from '../../../output/views/views.ts'
import { readStart } from '../../../reports/session-times.ts'
import type { PlacedPerson, PresentPerson, RoomState, WatchScene } from './events.ts'

interface Canvas {
  columns: number
  lines: number
  style: Style
  redact: Redact
  header: boolean
  fields: readonly string[] | undefined
  /** Current time, in milliseconds since 1970. */
  now: number
  zone: TimeZone
}

interface FrameContent extends WatchScene {
  /** Undefined for all rooms. */
  room_id: string | undefined
  rooms: ReadonlyMap<string, RoomState>
  /** Message about an outage. */
  lost: string | undefined
  changes: readonly Visible[]
  /** Instruction for ending the watch; undefined in the last frame. */
  hint: Visible | undefined
}

const minFullLayoutLines = 8

export function drawFrame(picture: FrameContent, canvas: Canvas): Visible[] {
  const { style, lines: max } = canvas
  const head = drawTitle(picture, canvas)
  const some = picture.changes.slice(-Math.floor(max / 4) || picture.changes.length)
  const changes = max >= minFullLayoutLines && some.length > 0 ? [own``, ...some] : []
  const foot = max >= minFullLayoutLines && picture.hint ? [own``, style.dim(picture.hint)] : []
  const room = Math.max(1, max - head.length - changes.length - foot.length)
  const nobody = picture.room_id === undefined ? own`nobody is in a room` : own`nobody is in the room`
  const people = picture.online === 0 ? [nobody] : drawRows(picture, canvas, room)
  return [...head, ...people, ...changes, ...foot].slice(0, max)
}

/** Draws a title such as `Weekly sync · active · 3 online`. */
function drawTitle({ rooms, room_id, online, inUse, lost }: FrameContent, canvas: Canvas): Visible[] {
  const { style, columns, redact } = canvas
  const number = (count: number, noun: string) => visible(`${count.toLocaleString('en')} ${noun}`)
  const room = room_id === undefined ? undefined : rooms.get(room_id)
  const status = visible(redact(toText(room?.status)))
  const first = room_id === undefined ? [number(inUse, 'in use')] : status === '' ? [] : [status]
  const rest = [...first, number(online, 'online')]
  // The bundler cannot escape non-ASCII characters in tagged templates.
  const dot = visible(' · ')
  // Truncates only the name if the other parts fit.
  const left = columns - measureText(joinVisible([own``, ...rest], dot))
  const text = room_id === undefined ? 'All rooms' : redact(toText(room?.name) || room_id)
  const name = truncate(visible(text), Math.max(1, left))
  const colored = rest.map((text) => colorValue('status', text, style))
  const title =
    left > 0 ? joinVisible([style.bold(name), ...colored], dot) : truncate(joinVisible(rest, dot), columns)
  const away = lost === undefined ? [] : [style.red(truncate(visible(lost), columns))]
  return [title, ...away]
}

function drawRows({ people, online, room_id, rooms }: FrameContent, canvas: Canvas, room: number): Visible[] {
  const { columns, fields, style, now, redact } = canvas
  const header = canvas.header && room > 3
  const space = room - (header ? 2 : 0)
  const isCut = online > space
  const shown = [...people()].slice(0, isCut ? Math.max(1, space - 1) : space)
  const hidden = room_id === undefined ? 'member_id' : 'room'
  const view = {
    ...rowKinds.people,
    columns: rowKinds.people.columns.filter(({ field }) => field !== hidden),
  }
  const table = new TableWriter({ view, fields, header, style, width: columns, now, redact })
  const rows = table.page(shown.map((person) => toRow(person, rooms.get(person.room_id), now, canvas.zone)))
  const lines = rows.split('\n').slice(0, -1).map(markVisible)
  if (!isCut) return lines
  const more = visible(`…${andMore((online - shown.length).toLocaleString('en'))}`)
  return [...lines, style.dim(truncate(more, columns))]
}

function toRow(person: PlacedPerson, room: RoomState | undefined, now: number, zone: TimeZone): Item {
  const since = readStart(person)
  const who = { ...person, room: toText(room?.name) || person.room_id, name: personName(person) }
  if (Number.isNaN(since)) return { ...who, since: '', minutes: '' }
  const isToday = zone.dayOf(since) === zone.dayOf(now)
  return {
    ...who,
    since: isToday ? zone.formatClock(since) : `${zone.formatDay(since)} ${zone.formatClock(since)}`,
    // The clock of the service may be ahead of the local clock.
    minutes: Math.max(0, Math.floor((now - since) / 60_000)),
  }
}

export function personName({ name, user_id }: PresentPerson): unknown {
  return name ?? (user_id === null ? 'anonymous participant' : null)
}
