import { createFlagConflict } from '../../api/flag-conflict.ts'
import { isRecord } from '../../api/guards.ts'
import { readResponseValue, writeJson } from '../../api/json.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import { isJson } from '../../config/values.ts'
import { ClosedOutput, LostOutputError, PartialError, UsageError } from '../../errors.ts'
import { describeSystemError } from '../../files/system-error.ts'
import type { Host, Visible } from '../../host.ts'
import { createListWriter, type ListWriter, type PrintOptions } from './formats/list-writer.ts'
import { mask, type Redact, SecretFilter } from './redaction/redaction.ts'
import type { StatusLine } from './terminal/status-line.ts'
import { selectStyle } from './terminal/style.ts'
import { isAsciiOnly, toAscii } from './terminal/unicode.ts'
import { own, visible, visibleJson } from './terminal/visible.ts'
import { createPage, type Page } from './views/page.ts'
import { toUnknownFieldError } from './views/unknown-field.ts'
import { hasField, type Item, type View } from './views/views.ts'

export class Printer {
  readonly #secretFilter: SecretFilter
  #hasNoticed = false
  #hasExplained = false
  readonly #host: Host
  readonly #redact: Redact
  readonly #statusLine: StatusLine | undefined

  constructor(
    host: Host,
    readonly options: PrintOptions,
    redact: Redact,
    statusLine?: StatusLine,
  ) {
    this.#host = host
    this.#redact = redact
    this.#statusLine = statusLine
    this.#secretFilter = new SecretFilter(options.showTokens ?? false, options.columns)
  }

  /**
   * @param writes true to refuse unknown columns before a change
   * @throws {UsageError} if flags conflict or do not fit the view
   */
  check(view: View, writes = false): void {
    const { format, columns, query, csv } = this.options
    if (columns && query) throw createFlagConflict('--columns', '--query')
    if (columns && !['table', 'csv', 'tsv'].includes(format))
      throw new UsageError(`--columns cannot be used with the format ${format}, only with table, csv and tsv`)
    const csvFlag = csv?.delimiter !== undefined ? '--delimiter' : csv?.bom ? '--bom' : undefined
    if (csvFlag && (format !== 'csv' || query)) {
      const after = !query && csvFlag === '--delimiter' ? '; the delimiter of a file is detected' : ''
      throw new UsageError(`${csvFlag} cannot be used with ${query ? '--query' : `the format ${format}`}`, {
        hint: `pass -o csv${query ? ' instead of --query' : after}`,
        lineEdit: { before: 'type: ', omit: ['--query', '--output', '--json'], add: ['-o', 'csv'], after },
      })
    }
    if (writes || view.isClosed) this.#checkColumns(view, [])
    if (format === 'ids' && !view.id) throw new UsageError(`a ${view.noun[0]} has no ID to print`)
  }

  makeVisible(text: string): Visible {
    return visible(this.#redact(text))
  }

  async write(text: Visible): Promise<void> {
    await this.#put(isAsciiOnly(this.#host) ? toAscii(text) : text)
  }

  async #put(text: Visible): Promise<void> {
    if (text.length === 0) return
    this.#statusLine?.hideDuring(this.#host.stdout, text)
    await translateWriteError(this.#host.stdout.write(text))
  }

  /** Writes a drawing without clearing the status line. */
  async draw(text: Visible): Promise<void> {
    await translateWriteError(this.#host.stdout.write(text))
  }

  line(text: string): Promise<void> {
    return this.write(own`${this.makeVisible(text)}\n`)
  }

  /** Writes text: redacted and made safe by `shown` on a terminal, otherwise unchanged. */
  async data(raw: string, shown: (raw: string) => Visible): Promise<void> {
    const { stdout } = this.#host
    if (stdout.isTTY) return this.#put(shown(this.#redact(raw)))
    if (raw.length > 0) await translateWriteError(stdout.write(raw))
  }

  /** Redacts keys even in a pipe, because the value may contain text of a response. */
  async json(value: unknown): Promise<void> {
    if (this.options.query) return this.result(value)
    await this.data(`${this.#redact(writeJson(this.maskOnTerminal(value)))}\n`, visibleJson)
  }

  get printsJson(): boolean {
    return isJson(this.options.format) || this.options.query !== undefined
  }

  /** Masks secrets on a terminal before the query, because a query can rename fields. */
  async result(document: unknown): Promise<void> {
    const { query, format } = this.options
    const result = query?.(this.maskOnTerminal(document))
    const { isTTY } = this.#host.stdout
    if (format === 'tsv') {
      const { formatResult, visibleTsv } = await import('./formats/tsv.ts')
      await this.data(this.#redact(formatResult(result)), visibleTsv)
    } else await this.data(this.#redact(`${writeJson(result, isTTY ? 2 : undefined)}\n`), visibleJson)
    if (query && !this.#hasExplained && (result === null || (Array.isArray(result) && result.length === 0))) {
      const { explainNoMatch } = await import('./formats/near-query.ts')
      const explained = explainNoMatch(query.expression ?? '', document)
      this.#hasExplained = explained !== undefined
      if (explained !== undefined) await this.notice(explained)
    }
    if (this.#secretFilter.hasHidden && writeJson(result).includes(mask)) await this.noticeHiddenTokens()
  }

  async count(count: number): Promise<void> {
    if (this.printsJson) return this.json({ count })
    await this.write(own`${count}\n`)
  }

  async notice(text: string): Promise<void> {
    if (this.options.quiet) return
    const said = own`${this.makeVisible(text)}\n`
    const line = isAsciiOnly(this.#host) ? toAscii(said) : said
    this.#statusLine?.hideDuring(this.#host.stderr, line)
    const written = this.#host.stderr.write(line).catch(() => {})
    // With `--verbose`, notices arrive faster than the progress updates that restore the status line.
    this.#statusLine?.restore()
    await written
  }

  async list(view: View, key: string, pages: AsyncIterable<Page>): Promise<number> {
    const write = await this.writer(view, key)
    let count = 0
    let hasPages = false
    try {
      for await (const page of pages) {
        hasPages = true
        // Without items, unknown columns cannot be detected.
        if (count === 0 && page.items.length > 0) this.#checkColumns(view, page.items)
        count += page.items.length
        await write.page(page)
      }
    } catch (error) {
      // Completes the document after a partial error. Without a page, an empty document would be wrong.
      if (error instanceof PartialError && hasPages) await write.end()
      throw error
    }
    await write.end()
    if (!this.options.query) await this.noticeHiddenTokens()
    return count
  }

  async printOne(view: View, key: string, response: ResponseBody): Promise<void> {
    const item = (readResponseValue(response) as Item)[key]
    // The response to `sendMessage` is itself the record (API specification, “Endpoints”).
    const record = isRecord(item) ? item : { [key]: item }
    if (this.options.query) return this.body(response)
    switch (this.options.format) {
      case 'json':
        return this.body(response)
      case 'table': {
        this.#checkColumns(view, [record])
        const { formatRecord } = await import('./formats/record.ts')
        const { columns, color, zone } = this.options
        const style = await selectStyle(this.#host.stdout, this.#host.env, color)
        const [shown = record] = this.#secretFilter.fields([record])
        await this.write(
          formatRecord(shown, {
            view: this.#secretFilter.view(view),
            fields: columns,
            style,
            now: this.now(),
            zone,
            redact: this.#redact,
          }),
        )
        return this.noticeHiddenTokens()
      }
      default: {
        await this.list(view, key, createPage({ items: [record] }))
      }
    }
  }

  async printFacts(facts: Readonly<Record<string, unknown>>, _columns?: readonly string[]): Promise<void> {
    if (this.printsJson) return this.json(facts)
    const { formatRecord } = await import('./formats/record.ts')
    const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
    const { factRow } = await import('./views/rows.ts')
    const style = await selectStyle(this.#host.stdout, this.#host.env, this.options.color)
    await this.write(
      formatRecord(known, {
        ...{ view: factRow(known, []), fields: this.options.columns },
        ...{ style, now: undefined, redact: this.#redact },
      }),
    )
  }

  /** Returns the base of relative times, in milliseconds since 1970; undefined without a terminal. */
  now(): number | undefined {
    return this.#host.stdout.isTTY ? this.#host.now() : undefined
  }

  /** Without `--query`, prints the body: indented and masked on a terminal, otherwise unchanged. */
  async body(response: ResponseBody): Promise<void> {
    const { stdout } = this.#host
    if (response.bytes.length === 0) return
    if (this.options.query) return this.result(readResponseValue(response))
    if (stdout.isTTY)
      await this.#put(
        visibleJson(`${this.#redact(writeJson(this.maskOnTerminal(readResponseValue(response)), 2))}\n`),
      )
    else await translateWriteError(stdout.write(response.bytes))
    await this.noticeHiddenTokens()
  }

  maskOnTerminal<T>(value: T): T {
    return this.#host.stdout.isTTY ? this.#secretFilter.json(value) : value
  }

  async noticeHiddenTokens(): Promise<void> {
    if (!this.#secretFilter.hasHidden || this.#hasNoticed || !this.#host.stderr.isTTY) return
    this.#hasNoticed = true
    await this.notice('access tokens are hidden; --show-tokens shows them')
  }

  #checkColumns(view: View, items: readonly Item[]): void {
    const { columns = [], typedColumns = '' } = this.options
    const unknown = columns.filter((field) => !hasField(view, field, items))
    if (unknown.length === 0) return
    const fields = [...new Set([...view.columns.map(({ field }) => field), ...view.fields])]
    const all = [...new Set([...fields, ...(view.unlisted ?? [])])]
    throw toUnknownFieldError('', view.noun[0], unknown, typedColumns, all)
  }

  writer(view: View, key: string): Promise<ListWriter> {
    return createListWriter(
      this,
      { host: this.#host, secretFilter: this.#secretFilter, redact: this.#redact },
      view,
      key,
    )
  }
}

async function translateWriteError(writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') throw new ClosedOutput()
    throw new LostOutputError(describeSystemError(error))
  }
}
