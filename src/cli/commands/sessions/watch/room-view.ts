import { toText } from '../../../../api/to-text.ts'
import type { Input, Terminal, Visible } from '../../../../host.ts'
import { readTimeZone, type TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import { truncate } from '../../../output/formats/fit.ts'
import type { Printer } from '../../../output/printer.ts'
import { readTerminalWidth, type Style, selectStyle } from '../../../output/terminal/style.ts'
import { joinVisible, own } from '../../../output/terminal/visible.ts'
import { measureText } from '../../../output/terminal/width.ts'
import { parseMilliseconds, readStart } from '../../../reports/session-times.ts'
import type { PresentPerson, RoomState, TimedWatchEvent, WatchOutput, WatchScene } from './events.ts'
import { drawFrame, personName } from './frame.ts'

const maxChanges = 5

interface Change {
  at: number
  text: string
  isOver: boolean
}

export class RoomView implements WatchOutput {
  readonly #screen: Screen
  #hint: Visible | undefined = own`press ^C to quit`
  #scene: WatchScene | undefined
  readonly #rooms = new Map<string, RoomState>()
  #lost: string | undefined
  #changes: Change[] = []
  #isReady = false
  #closers: (() => void)[] = []
  #cancelRedraw = () => {}

  readonly #context: Context
  readonly #terminal: Terminal
  readonly #room_id: string | undefined
  readonly #printer: Printer
  readonly #style: Style
  readonly #zone: TimeZone

  private constructor(
    context: Context,
    terminal: Terminal,
    room_id: string | undefined,
    printer: Printer,
    style: Style,
    zone: TimeZone,
  ) {
    this.#context = context
    this.#terminal = terminal
    this.#room_id = room_id
    this.#printer = printer
    this.#style = style
    this.#zone = zone
    this.#screen = new Screen(terminal, (text) => printer.draw(text))
  }

  static async open(
    context: Context,
    terminal: Terminal,
    room_id: string | undefined,
    leave: () => void,
  ): Promise<RoomView> {
    const { host, flags, statusLine } = context
    const printer = await context.printer()
    const style = await selectStyle(terminal, host.env, flags.color)
    const zone = await readTimeZone(context)
    const view = new RoomView(context, terminal, room_id, printer, style, zone)
    if (host.stdin.isTTY && !host.env['MEETROOM_NO_INPUT']) {
      view.#closers.push(listenForKeys(host.stdin, leave))
      view.#hint = own`press q to quit`
    }
    view.#closers.push(terminal.onResize(() => view.#redraw()))
    statusLine.above = { hideDuring: () => view.#giveWay() }
    view.#closers.push(() => {
      statusLine.above = undefined
    })
    return view
  }

  async tell(told: TimedWatchEvent): Promise<void> {
    const change = this.#changeOf(told)
    if (told.event === 'room') this.#rooms.set(told.room_id, told)
    if (change) this.#changes = [...this.#changes.slice(1 - maxChanges), change]
    if (told.event === 'ready') this.#isReady = true
    if (told.event !== 'lost' && told.event !== 'back') return
    this.#lost =
      told.event === 'lost'
        ? `connection lost at ${this.#zone.formatSeconds(parseMilliseconds(told.at))}, retrying`
        : undefined
    await this.#draw()
  }

  async settle(scene: WatchScene): Promise<void> {
    this.#scene = scene
    await this.#draw()
  }

  async close(): Promise<void> {
    this.#cancelRedraw()
    this.#hint = undefined
    await this.#draw().catch(() => {})
    for (const close of this.#closers.splice(0)) close()
  }

  #changeOf(told: TimedWatchEvent): Change | undefined {
    if (!this.#isReady) return undefined
    const at = parseMilliseconds(told.at)
    switch (told.event) {
      case 'joined':
        return { at, text: `${describePerson(told)} joined${this.#place(told)}`, isOver: false }
      case 'left': {
        const stay = formatStay(told, at)
        return { at, text: `${describePerson(told)} left${this.#place(told)}${stay}`, isOver: true }
      }
      case 'room': {
        const before = this.#rooms.get(told.room_id)
        const text = before && describeRoomChange(told, before, this.#room_id)
        return text ? { at, text, isOver: false } : undefined
      }
      default:
        return undefined
    }
  }

  #place({ room_id }: { room_id: string }): string {
    return this.#room_id === undefined ? ` ${toText(this.#rooms.get(room_id)?.name) || room_id}` : ''
  }

  async #draw(): Promise<void> {
    if (!this.#scene) return
    const { host, flags, redactKeys } = this.#context
    const { header, columns: fields } = this.#printer.options
    const { columns: width, rows } = this.#terminal
    // COLUMNS may be outdated after the window is resized.
    const columns = Math.max(1, Math.min(readTerminalWidth(this.#terminal, host.env) || 80, width || 80))
    const lines = drawFrame(
      {
        ...this.#scene,
        room_id: this.#room_id,
        rooms: this.#rooms,
        lost: this.#lost,
        changes: this.#changes.map((change) => this.#line(change, columns)),
        hint: this.#hint,
      },
      {
        columns,
        // The cursor needs one line.
        lines: Math.max(1, (rows || 24) - 1),
        style: this.#style,
        redact: redactKeys,
        header: header && flags.header,
        fields,
        now: host.now(),
        zone: this.#zone,
      },
    )
    await this.#screen.draw(lines)
  }

  #line({ at, text, isOver }: Change, columns: number): Visible {
    const line = truncate(this.#printer.makeVisible(`${this.#zone.formatSeconds(at)}  ${text}`), columns)
    return isOver ? this.#style.dim(line) : line
  }

  /** Ignores write errors, because they recur at the next write. */
  #redraw(): void {
    this.#draw().catch(() => {})
  }

  #giveWay(): void {
    this.#screen.clear().catch(() => {})
    this.#cancelRedraw()
    this.#cancelRedraw = this.#context.host.after(0, () => this.#redraw())
  }
}

const statusChanges: Readonly<Record<string, string[]>> = {
  active: ['was reopened'],
  terminated: ['was terminated'],
}

/** Returns an empty text for a change of other fields. */
function describeRoomChange(now: RoomState, before: RoomState, room_id: string | undefined): string {
  const room = room_id === undefined ? `room “${toText(before.name)}”` : 'the room'
  const changes = [
    ...(now.name === before.name ? [] : [`is now called “${toText(now.name)}”`]),
    ...(now.status === before.status ? [] : (statusChanges[toText(now.status)] ?? [])),
  ]
  return changes.length === 0 ? '' : `${room} ${changes.join(' and ')}`
}

const describePerson = (person: PresentPerson): string => toText(personName(person) ?? person.user_id)

function formatStay(person: PresentPerson, left: number): string {
  const ms = left - readStart(person)
  if (Number.isNaN(ms) || ms < 0) return ''
  return ms < 60_000 ? ` after ${Math.floor(ms / 1000)} s` : ` after ${Math.floor(ms / 60_000)} min`
}

/** U+0003 is ^C, and U+0004 is ^D. */
const quitKeys = ['q', 'Q', '\u0003', '\u0004']
const closeEvents = ['end', 'error'] as const

function listenForKeys(keyboard: Input, leave: () => void): () => void {
  // An arrow key arrives as several characters that start with escape.
  const onData = (typed: Buffer | string) => {
    if (quitKeys.includes(String(typed).charAt(0))) leave()
  }
  keyboard.setRawMode?.(true)
  keyboard.on('data', onData)
  // If the terminal closes, the input may end without a signal.
  for (const end of closeEvents) keyboard.on(end, leave)
  return () => {
    keyboard.off('data', onData)
    for (const end of closeEvents) keyboard.off(end, leave)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
}

const eraseScreen = own`\u001b[H\u001b[2J`
const eraseBelow = own`\u001b[J`
const eraseLine = own`\u001b[K`
const moveUp = (lines: number) => (lines > 0 ? own`\u001b[${lines}A` : own``)

/** Terminal area that is redrawn in place. */
export class Screen {
  #lines: readonly Visible[] = []
  #width = 0
  #rows: number | undefined
  readonly #terminal: Pick<Terminal, 'columns' | 'rows'>
  readonly #write: (text: Visible) => Promise<void>

  constructor(terminal: Pick<Terminal, 'columns' | 'rows'>, write: (text: Visible) => Promise<void>) {
    this.#terminal = terminal
    this.#write = write
  }

  async draw(lines: readonly Visible[]): Promise<void> {
    const text = this.#difference(lines)
    this.#lines = lines
    this.#rows = this.#terminal.rows
    this.#width = lines.reduce((max, line) => Math.max(max, measureText(line)), 0)
    if (text !== '') await this.#write(text)
  }

  async clear(): Promise<void> {
    if (this.#lines.length === 0) return
    const text = own`${moveUp(this.#lines.length)}\r${eraseBelow}`
    this.#lines = []
    await this.#write(text)
  }

  #difference(lines: readonly Visible[]): Visible {
    const before = this.#lines
    // After a resize, terminals rewrap lines in different ways.
    if (this.#width > (this.#terminal.columns || Number.POSITIVE_INFINITY))
      return own`${eraseScreen}${joinVisible(lines.map((line) => own`${line}\n`))}`
    // If the number of rows has changed, lines may have moved.
    const isSame = (i: number) => lines[i] === before[i] && this.#terminal.rows === this.#rows
    if (lines.length === before.length && lines.every((_, i) => isSame(i))) return own``
    const drawn = lines.map((line, i) => (isSame(i) ? own`\n` : own`${eraseLine}${line}\n`))
    const rest = lines.length < before.length ? eraseBelow : own``
    return own`${moveUp(before.length)}\r${joinVisible(drawn)}${rest}`
  }
}
