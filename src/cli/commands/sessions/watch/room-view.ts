import { toText } from '../../../../api/to-text.ts'
import type { Terminal, Visible } from '../../../../host.ts'
import { readTimeZone } from '../../../calendar/read-time-zone.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import { truncate } from '../../../output/formats/fit.ts'
import type { Printer } from '../../../output/printer.ts'
import { readTerminalWidth, type Style, selectStyle } from '../../../output/terminal/style.ts'
import { own } from '../../../output/terminal/visible.ts'
import { parseMilliseconds, readStart } from '../../../reports/session-times.ts'
import type { Person, RoomState, TimedWatchEvent } from './events.ts'
import { drawFrame, personName } from './frame.ts'
import { listenForKeys } from './keyboard.ts'
import type { RoomScene, WatchOutput } from './scene.ts'
import { Screen } from './screen.ts'

const maxChanges = 5

interface Change {
  at: number
  text: string
  isOver: boolean
}

export class RoomView implements WatchOutput {
  readonly #context: Context
  readonly #terminal: Terminal
  readonly #printer: Printer
  readonly #style: Style
  readonly #zone: TimeZone
  readonly #room_id: string
  readonly #screen: Screen
  #hint: Visible | undefined = own`^C ends`
  #scene: RoomScene | undefined
  #lost: string | undefined
  #changes: Change[] = []
  #isReady = false
  #closers: (() => void)[] = []
  #cancelRedraw = () => {}

  private constructor(
    context: Context,
    terminal: Terminal,
    { room_id, printer, style, zone }: { room_id: string; printer: Printer; style: Style; zone: TimeZone },
  ) {
    this.#context = context
    this.#terminal = terminal
    this.#printer = printer
    this.#style = style
    this.#zone = zone
    this.#room_id = room_id
    this.#screen = new Screen(terminal, (text) => printer.draw(text))
  }

  static async open(
    context: Context,
    terminal: Terminal,
    room_id: string,
    leave: () => void,
  ): Promise<RoomView> {
    const { host, flags, statusLine } = context
    const printer = await context.printer()
    const style = await selectStyle(terminal, host.env, flags.color)
    const zone = await readTimeZone(context)
    const view = new RoomView(context, terminal, { room_id, printer, style, zone })
    if (host.stdin.isTTY && !host.env['MEETROOM_NO_INPUT']) {
      view.#closers.push(listenForKeys(host.stdin, leave))
      view.#hint = own`q ends`
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
    if (change) this.#changes = [...this.#changes.slice(1 - maxChanges), change]
    if (told.event === 'ready') this.#isReady = true
    if (told.event !== 'lost' && told.event !== 'back') return
    this.#lost =
      told.event === 'lost'
        ? `connection lost at ${this.#zone.formatSeconds(parseMilliseconds(told.at))}, trying again`
        : undefined
    await this.#draw()
  }

  async settle(scene: RoomScene): Promise<void> {
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
        return { at, text: `${describePerson(told)} joined`, isOver: false }
      case 'left':
        return { at, text: `${describePerson(told)} left${formatStay(told, at)}`, isOver: true }
      case 'room':
        return { at, text: describeRoomChange(told, this.#scene?.room), isOver: false }
      default:
        return undefined
    }
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

  /** Redraws the frame. Ignores write errors, which recur at the next poll. */
  #redraw(): void {
    this.#draw().catch(() => {})
  }

  #giveWay(): void {
    this.#screen.clear().catch(() => {})
    this.#cancelRedraw()
    this.#cancelRedraw = this.#context.host.after(0, () => this.#redraw())
  }
}

function describeRoomChange(now: RoomState, before: RoomState | undefined): string {
  if (now.name !== before?.name) return `the room is now called “${toText(now.name)}”`
  return now.status === 'terminated' ? 'the room was terminated' : 'the room was reopened'
}

function describePerson(person: Person): string {
  return toText(personName(person) ?? person.user_id)
}

function formatStay(person: Person, left: number): string {
  const ms = left - readStart(person)
  if (Number.isNaN(ms) || ms < 0) return ''
  return ms < 60_000 ? ` after ${Math.floor(ms / 1000)} s` : ` after ${Math.floor(ms / 60_000)} min`
}
