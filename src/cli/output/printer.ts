import type { Answer } from '../../api/client.ts'
import { readAnswer, readBody, writeJson } from '../../api/json.ts'
import type { Format } from '../../config-values.ts'
import { ClosedOutput, OutputError, UsageError } from '../../errors.ts'
import type { Host, Visible } from '../../host.ts'
import { Hiding } from './hiding.ts'
import type { Redact } from './redact.ts'
import type { StatusLine } from './status-line.ts'
import { styleFor, widthOf } from './style.ts'
import { plainText } from './text.ts'
import { type Item, knowsField, type View } from './views.ts'
import { joined, own, visible, visibleJson, visibleLines } from './visible.ts'

/** Some items of a result. */
export interface Page {
  items: readonly Item[]
  /** The answer that holds exactly these items and nothing that was asked for beyond them. */
  whole?: Answer
  /** Whether the items hold no number that needs care: writing them is then several times as fast. */
  plain?: boolean
  /** The other fields of the body, such as `paging`, for a document that is put together from several answers. */
  rest?: Item
}

/** A result that comes in one piece. */
export async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page
}

export interface PrintOptions {
  format: Format
  columns?: readonly string[] | undefined
  header: boolean
  color: boolean
  quiet: boolean
  /** Whether secrets are shown that services send: access tokens. */
  showTokens?: boolean
}

/**
 * The one way out: everything that the program says passes here. What people read is free of secrets: notices, tables,
 * records, and everything on a terminal. What goes to a program is what the service sent.
 */
export class Printer {
  readonly #host: Host
  readonly options: PrintOptions
  readonly #redact: Redact
  readonly #hiding: Hiding
  #hasTold = false
  readonly #statusLine: StatusLine | undefined

  /** @param statusLine what all output takes the place of */
  constructor(host: Host, options: PrintOptions, redact: Redact, statusLine?: StatusLine) {
    this.#host = host
    this.#hiding = new Hiding(options.showTokens ?? false, options.columns)
    this.options = options
    this.#redact = redact
    this.#statusLine = statusLine
  }

  /**
   * Refuses output options that do not fit together, before anything is sent.
   * @param writes whether a request will change something: an unknown column must be found before it, not after
   */
  check(view: View, writes = false): void {
    const { format, columns } = this.options
    if (columns && format !== 'table' && format !== 'csv')
      throw new UsageError(`--columns works with the formats table and csv, not with ${format}`)
    if (writes) this.#checkColumns(view, [])
    if (format === 'ids' && !view.id) throw new UsageError(`a ${view.noun[0]} has no id to print`)
  }

  /** Text from outside, made safe to show to people. */
  shown(text: string): Visible {
    return visible(this.#redact(text))
  }

  /** Results for people, to standard output. */
  async write(text: Visible): Promise<void> {
    if (text.length === 0) return
    this.#statusLine?.giveWay(this.#host.stdout, text)
    await written(this.#host.stdout.write(text))
  }

  /** A line for people, to standard output. */
  line(text: string): Promise<void> {
    return this.write(own`${this.shown(text)}\n`)
  }

  /**
   * Results for programs, to standard output: unchanged unless it is a terminal.
   * @param shown what a terminal is given instead
   */
  async data(raw: string, shown: (raw: string) => Visible): Promise<void> {
    const { stdout } = this.#host
    if (stdout.isTTY) return this.write(shown(this.#redact(raw)))
    if (raw.length > 0) await written(stdout.write(raw))
  }

  /** A value of ours as one line of JSON, to standard output. */
  async json(value: unknown): Promise<void> {
    await this.data(`${JSON.stringify(this.#onScreen(value))}\n`, visibleJson)
  }

  /** A line for the person at the terminal, to standard error. */
  async notice(text: string): Promise<void> {
    if (this.options.quiet) return
    const line = own`${this.shown(text)}\n`
    this.#statusLine?.giveWay(this.#host.stderr, line)
    await this.#host.stderr.write(line).catch(() => {})
  }

  /** A list, page by page as the pages arrive. `key` is the field that holds the items in the service’s body. */
  async list(view: View, key: string, pages: AsyncIterable<Page>): Promise<number> {
    const write = await this.writer(view, key)
    let count = 0
    for await (const page of pages) {
      // Without items there is no way to tell whether a column exists.
      if (count === 0 && page.items.length > 0) this.#checkColumns(view, page.items)
      count += page.items.length
      await write.page(page)
    }
    await write.end()
    await this.#tellOfSecrets()
    return count
  }

  /** One thing. */
  async one(view: View, key: string, answer: Answer): Promise<void> {
    const item = (readAnswer(answer) as Item)[key]
    // Operation 12 answers with the message itself.
    const record = (typeof item === 'object' && item !== null ? item : { [key]: item }) as Item
    switch (this.options.format) {
      case 'json':
        return this.body(answer)
      case 'table': {
        this.#checkColumns(view, [record])
        const { formatRecord } = await import('./record.ts')
        const { columns, color } = this.options
        const style = await styleFor(this.#host.stdout, this.#host.env, color)
        const [shown = record] = this.#hiding.fields([record])
        await this.write(
          formatRecord(shown, {
            view: this.#hiding.view(view),
            fields: columns,
            style,
            now: this.#now(),
            redact: this.#redact,
          }),
        )
        return this.#tellOfSecrets()
      }
      default: {
        await this.list(
          view,
          key,
          (async function* () {
            yield { items: [record] }
          })(),
        )
      }
    }
  }

  /** Facts of ours rather than of the service: one object in JSON modes, a line each otherwise. */
  async facts(facts: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.options.format === 'json' || this.options.format === 'ndjson') return this.json(facts)
    const { formatRecord } = await import('./record.ts')
    const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
    const view = { noun: ['fact', 'facts'], columns: [], fields: [] } as const
    const style = await styleFor(this.#host.stdout, this.#host.env, this.options.color)
    await this.write(formatRecord(known, { view, style, now: undefined, redact: this.#redact }))
  }

  #now(): number | undefined {
    return this.#host.stdout.isTTY ? this.#host.now() : undefined
  }

  /** The body that the service sent: byte for byte in a pipe, indented on a terminal. */
  async body(answer: Answer): Promise<void> {
    const { stdout } = this.#host
    if (stdout.isTTY)
      await this.write(visibleJson(`${this.#redact(writeJson(this.#onScreen(readBody(answer)), 2))}\n`))
    else if (answer.bytes.length > 0) await written(stdout.write(answer.bytes))
    await this.#tellOfSecrets()
  }

  /** What is shown of JSON: a terminal may be watched and recorded. */
  #onScreen<T>(value: T): T {
    return this.#host.stdout.isTTY ? this.#hiding.json(value) : value
  }

  #pageOnScreen(page: Page): Page {
    return { ...page, items: this.#onScreen(page.items) }
  }

  /** Says to a person, once, that a secret is not shown. */
  async #tellOfSecrets(): Promise<void> {
    if (!this.#hiding.isNoticeable || this.#hasTold || !this.#host.stderr.isTTY) return
    this.#hasTold = true
    await this.notice('access tokens are hidden; --show-tokens shows them')
  }

  #checkColumns(view: View, items: readonly Item[]): void {
    const unknown = this.options.columns?.find((field) => !knowsField(view, field, items))
    if (unknown !== undefined)
      throw new UsageError(`no ${view.noun[0]} has a field “${unknown}”`, {
        hint: `fields are ${[...new Set([...view.columns.map(({ field }) => field), ...view.fields])].join(', ')}`,
      })
  }

  /** What writes a list, page by page. */
  async writer(view: View, key: string) {
    const { format, columns, header, color } = this.options
    const { stdout, env } = this.#host
    switch (format) {
      case 'table': {
        const { TableWriter } = await import('./table.ts')
        const table = new TableWriter({
          view: this.#hiding.view(view),
          fields: columns,
          header,
          style: await styleFor(stdout, env, color),
          width: widthOf(stdout, env),
          now: this.#now(),
          redact: this.#redact,
        })
        return {
          page: ({ items }: Page) =>
            items.length > 0 ? this.write(table.page(this.#hiding.cells(items))) : Promise.resolve(),
          end: async () => {
            const names = table.leftOut.join(', ')
            if (names) await this.notice(`columns left out for width: ${names}; choose with --columns`)
          },
        }
      }
      case 'csv': {
        const { CsvWriter } = await import('./csv.ts')
        const csv = new CsvWriter({ view: this.#hiding.view(view), fields: columns, header })
        const write = (text: string) => this.data(text, (lines) => visibleLines(lines, '\r\n'))
        return {
          page: ({ items }: Page) =>
            items.length > 0 ? write(csv.page(this.#hiding.fields(items))) : Promise.resolve(),
          end: async () => {
            await write(csv.end())
            const names = csv.leftOut.join(', ')
            if (names)
              await this.notice(
                `fields left out, because the first page lacks them: ${names}; -o ndjson has them`,
              )
          },
        }
      }
      case 'ids':
        return {
          // One id a line: an id with a line break in it must not become two.
          page: ({ items }: Page) =>
            this.data(
              joined(items.map((item) => own`${visible(plainText(item[view.id ?? 'id']))}\n`)),
              visibleLines,
            ),
          end: async () => {},
        }
      case 'ndjson':
        return {
          page: (page: Page) =>
            this.data(
              itemsAsJson(this.#pageOnScreen(page))
                .map((item) => `${item}\n`)
                .join(''),
              visibleJson,
            ),
          end: async () => {},
        }
      case 'json':
        return this.#jsonWriter(key)
    }
  }

  /** One answer goes out byte for byte; several become one document, its items written as they come. */
  #jsonWriter(key: string) {
    let held: Page | undefined
    let count = 0
    let started = false
    const items = async (sent: Page) => {
      const page = this.#pageOnScreen(sent)
      const text = page.plain ? JSON.stringify(page.items).slice(1, -1) : itemsAsJson(page).join(',')
      const comma = count > 0 && page.items.length > 0 ? ',' : ''
      await this.data((started ? '' : `{${JSON.stringify(key)}:[`) + comma + text, visibleJson)
      started = true
      count += page.items.length
    }
    return {
      page: async (page: Page) => {
        if (held) await items(held)
        held = page
      },
      end: async () => {
        if (!started && held?.whole) return this.body(held.whole)
        await items(held ?? { items: [] })
        const rest = Object.entries(this.#onScreen(held?.rest ?? {})).map(
          ([name, value]) => `,${JSON.stringify(name)}:${writeJson(value)}`,
        )
        await this.data(`]${rest.join('')}}\n`, visibleJson)
      },
    }
  }
}

async function written(writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') throw new ClosedOutput()
    throw new OutputError(
      `the output cannot be written: ${code === 'ENOSPC' ? 'no space left' : (code ?? message)}`,
    )
  }
}

function itemsAsJson({ items, plain }: Page): string[] {
  return items.map((item) => (plain ? JSON.stringify(item) : writeJson(item)))
}
