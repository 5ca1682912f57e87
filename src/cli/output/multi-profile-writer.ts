import { omitUndefined } from '../../api/defined.ts'
import { type MeetroomError, PartialError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { errorFacts, isJson, reportError } from './error.ts'
import type { ListWriter, PrintOptions } from './formats/list-writer.ts'
import { hintText } from './hint-text.ts'
import { Printer } from './printer.ts'
import { ProfilePrinter } from './profile-printer.ts'
import type { Redact } from './redaction/redact.ts'
import type { StatusLine } from './terminal/status-line.ts'
import type { Page } from './views/page.ts'
import type { Item, View } from './views/views.ts'

interface Means {
  host: Host
  flags: { color: boolean; verbose?: boolean }
  redact: Redact
  redactKeys: Redact
}

interface Failed {
  profile: string
  error: MeetroomError
  target: readonly string[]
}

/** Number of rows that determine the column widths of a table. */
const mostTogether = 100

export class MultiProfileWriter {
  readonly #total: number
  readonly #means: Means
  #printer: Printer | undefined
  #writer: ListWriter | undefined
  #held: Item[] = []
  /** Error that prevents further output. */
  #broken: unknown
  readonly #failed: Failed[] = []
  #told = 0

  constructor(total: number, means: Means) {
    this.#total = total
    this.#means = means
  }

  printerFor(profile: string, options: PrintOptions, statusLine: StatusLine): Printer {
    const { host, redactKeys } = this.#means
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

  /** Buffers the first rows of a table, so that several profiles determine the column widths. */
  async #write(page: Page): Promise<void> {
    if (this.#printer?.options.format !== 'table') return this.#out(page)
    this.#held.push(...page.items)
    if (this.#held.length >= mostTogether) await this.#release()
  }

  async #release(): Promise<void> {
    const items = this.#held
    if (items.length === 0) return
    this.#held = []
    await this.#out({ items })
  }

  async #out(page: Page): Promise<void> {
    try {
      await this.#writer?.page(page)
    } catch (error) {
      this.#broken = error
      throw error
    }
  }

  async done(): Promise<void> {
    await this.#report()
  }

  /** @throws the error, if it prevents further output */
  async fail(failed: Failed): Promise<void> {
    const { error } = failed
    if (error === this.#broken) throw error
    this.#failed.push(failed)
    // A usage error is probably the same for all profiles, and is then reported once.
    if (!(error instanceof UsageError)) await this.#report()
  }

  /**
   * @throws {UsageError} if every profile failed with a usage error
   * @throws {PartialError} if some profiles failed
   */
  async end(): Promise<void> {
    const [first] = this.#failed
    const isMisused =
      this.#failed.length === this.#total && this.#failed.every(({ error }) => error instanceof UsageError)
    if (first && isMisused) throw this.#withHint(first)
    await this.#report()
    await this.#close()
    await this.#printer?.tellOfSecrets()
    const names = this.#failed.map(({ profile }) => profile).join(', ')
    if (first) throw new PartialError(`${this.#failed.length} of ${this.#total} profiles failed: ${names}`)
  }

  #withHint({ error, target }: Failed): UsageError {
    const hint = error.hint && hintText(error.hint, target, this.#means.redact)
    return new UsageError(error.message, { hint, cause: error })
  }

  async #close(): Promise<void> {
    await this.#release()
    if (this.#printer?.options.format !== 'json') return this.#writer?.end()
    const errors = this.#failed.map(({ profile, error, target }) =>
      omitUndefined(errorFacts(error, this.#means.redact, target, profile)),
    )
    if (!this.#writer) return this.#printer.json({ items: [], errors })
    await this.#writer.page({ items: [], rest: { errors } })
    await this.#writer.end()
  }

  /** Reports failures. A JSON document contains them instead. */
  async #report(): Promise<void> {
    const { host, flags, redact } = this.#means
    const format = this.#printer?.options.format
    if (format === 'json') return
    for (const { profile, error, target } of this.#failed.slice(this.#told))
      await reportError(host, error, {
        json: isJson(format),
        color: flags.color,
        verbose: flags.verbose ?? false,
        redact,
        target,
        profile,
      })
    this.#told = this.#failed.length
  }
}
