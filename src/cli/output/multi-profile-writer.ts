import { omitUndefined } from '../../api/defined.ts'
import { readResponseValue } from '../../api/json.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import { LostOutputError, type MeetroomError, PartialError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { errorToRecord, reportError } from './error.ts'
import type { ListWriter, PrintOptions } from './formats/list-writer.ts'
import { Printer } from './printer.ts'
import type { Redact } from './redaction/redaction.ts'
import type { StatusLine } from './terminal/status-line.ts'
import { omitFields } from './views/define-row.ts'
import { createPage, type Page } from './views/page.ts'
import { countRow, factRow } from './views/rows.ts'
import type { Item, View } from './views/views.ts'

interface MultiProfileDeps {
  host: Host
  flags: { color: boolean; verbose?: boolean; curl?: boolean }
  redact: Redact
  redactKeys: Redact
}

interface ProfileFailure {
  profile: string
  error: MeetroomError
}

const tableSampleSize = 100

export class MultiProfileWriter {
  #printer: Printer | undefined
  #writer: ListWriter | undefined
  #pending: Item[] = []
  readonly #failures: ProfileFailure[] = []
  #reportedCount = 0
  readonly #total: number
  readonly #deps: MultiProfileDeps

  constructor(total: number, deps: MultiProfileDeps) {
    this.#total = total
    this.#deps = deps
  }

  printerFor(profile: string, options: PrintOptions, statusLine: StatusLine): Printer {
    const { host, redactKeys } = this.#deps
    this.#printer ??= new Printer(host, options, redactKeys)
    return new ProfilePrinter(host, options, redactKeys, statusLine, profile, (view) => this.#writerFor(view))
  }

  async #writerFor(view: View): Promise<ListWriter> {
    this.#writer ??= await this.#printer?.writer(view, 'items')
    return {
      page: (page) => this.#write(page),
      // The next profile continues the list.
      end: async () => {},
    }
  }

  /** Buffers rows of a table, so that several profiles can determine the columns. */
  async #write(page: Page): Promise<void> {
    if (this.#printer?.options.format !== 'table') return this.#writer?.page(page)
    this.#pending.push(...page.items)
    if (this.#pending.length >= tableSampleSize) await this.#flush()
  }

  async #flush(): Promise<void> {
    const items = this.#pending
    if (items.length === 0) return
    this.#pending = []
    await this.#writer?.page({ items })
  }

  /** @throws the error of the profile if the output cannot be written */
  async fail(failed: ProfileFailure): Promise<void> {
    const { error } = failed
    if (error instanceof LostOutputError) throw error
    this.#failures.push(failed)
    // All profiles may fail with usage errors, of which `end` then throws only the first.
    if (!(error instanceof UsageError)) await this.report()
  }

  /**
   * @throws {UsageError} if every profile failed with a usage error
   * @throws {PartialError} otherwise, if a profile failed
   */
  async end(): Promise<void> {
    const [first] = this.#failures
    const isMisused =
      this.#failures.length === this.#total &&
      this.#failures.every(({ error }) => error instanceof UsageError)
    if (first && isMisused) throw first.error
    await this.report()
    // With `--curl`, the requests are the output.
    if (!this.#deps.flags.curl) await this.#close()
    await this.#printer?.noticeHiddenTokens()
    const names = this.#failures.map(({ profile }) => profile).join(', ')
    if (first) throw new PartialError(`${this.#failures.length} of ${this.#total} profiles failed: ${names}`)
  }

  async #close(): Promise<void> {
    await this.#flush()
    if (this.#printer?.options.format !== 'json') return this.#writer?.end()
    const errors = this.#failures.map(({ profile, error }) =>
      omitUndefined(errorToRecord(error, { redact: this.#deps.redact, target: [], profile })),
    )
    if (!this.#writer) return this.#printer.json({ items: [], errors })
    await this.#writer.page({ items: [], rest: { errors } })
    await this.#writer.end()
  }

  /** Reports new failures, except if the JSON document will contain them. */
  async report(): Promise<void> {
    const { host, flags, redact } = this.#deps
    const format = this.#printer?.options.format
    if (format === 'json' && !flags.curl) return
    for (const { profile, error } of this.#failures.slice(this.#reportedCount))
      await reportError(host, error, {
        format,
        color: flags.color,
        verbose: flags.verbose ?? false,
        redact,
        target: [],
        profile,
      })
    this.#reportedCount = this.#failures.length
  }
}

class ProfilePrinter extends Printer {
  readonly #profile: string
  readonly #writerFor: (view: View) => Promise<ListWriter>

  constructor(
    host: Host,
    options: PrintOptions,
    redact: Redact,
    statusLine: StatusLine,
    profile: string,
    writerFor: (view: View) => Promise<ListWriter>,
  ) {
    super(host, options, redact, statusLine)
    this.#profile = profile
    this.#writerFor = writerFor
  }

  override check(view: View, writes = false): void {
    super.check(addProfileColumn(view), writes)
  }

  override list(view: View, key: string, pages: AsyncIterable<Page>): Promise<number> {
    return super.list(addProfileColumn(view), key, this.#addProfile(pages))
  }

  override async printOne(view: View, key: string, response: ResponseBody): Promise<void> {
    const item = (readResponseValue(response) as Item)[key] as Item
    await this.list(view, key, createPage({ items: [item] }))
  }

  override async count(count: number): Promise<void> {
    await this.list(countRow(), 'counts', createPage({ items: [{ count }] }))
  }

  override async printFacts(facts: Item, columns = Object.keys(facts)): Promise<void> {
    const view = omitFields(factRow(facts, columns), ['profile'])
    this.check(view)
    await this.list(view, 'facts', createPage({ items: [facts] }))
  }

  override writer(view: View): Promise<ListWriter> {
    return this.#writerFor(view)
  }

  override notice(text: string): Promise<void> {
    return super.notice(`${this.#profile}: ${text}`)
  }

  async *#addProfile(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const mark = { profile: this.#profile }
    // The first `mark` sets the order; the last overwrites a field of the service.
    for await (const { items, plain } of pages)
      yield { items: items.map((item) => ({ ...mark, ...item, ...mark })), ...omitUndefined({ plain }) }
  }
}

function addProfileColumn(view: View): View {
  return {
    ...view,
    columns: [{ field: 'profile', weight: 9 }, ...view.columns],
    fields: ['profile', ...view.fields],
  }
}
