import type { Client, ReadPages } from '../../client/client.ts'
import { KnownItems } from '../../client/known-items.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import type { Settings } from '../../config/settings.ts'
import type { StoredConfig } from '../../config/stored-file.ts'
import type { Format } from '../../config/values.ts'
import { type Hint, MeetroomError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { PrintOptions } from '../output/formats/list-writer.ts'
import { formatHintText } from '../output/hint-text.ts'
import { Printer } from '../output/printer.ts'
import { KnownSecrets, type Redact } from '../output/redaction/redaction.ts'
import { StatusLine } from '../output/terminal/status-line.ts'
import type { Backup } from '../requests/backup.ts'
import { requireWritable } from '../requests/before-send.ts'
import {
  changeStoredConfig,
  findTarget,
  loadSettings,
  readKey,
  readStoredConfig,
} from '../requests/command-settings.ts'
import { CompletedChanges } from '../requests/completed-changes.ts'
import { connectOverNetwork, describePlace, findService } from '../requests/find-service.ts'
import type { Change, Connect, RunningCommand } from '../requests/running-command.ts'
import { type ClientSetup, openClient } from '../requests/service.ts'
import { alwaysWrites, type Effect, mayWrite } from './effect.ts'
import { refuseFlags } from './refuse-flags.ts'

export interface ContextSetup {
  host: Host
  flags: GlobalFlags
  command: string
  interrupt: AbortSignal
  connect?: Connect | undefined
  /** Opens the backup for deleted records. Required, so that no setup omits the backup. */
  openBackup: (context: Context) => Promise<Backup | undefined>
  readList: (context: Context, ...args: Parameters<ReadPages>) => ReturnType<ReadPages>
  secrets?: KnownSecrets
}

export class Context implements RunningCommand {
  readonly host: Host
  readonly flags: GlobalFlags
  readonly command: string
  /** Aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly interrupt: AbortSignal
  readonly connect: Connect
  /** Time conditions that select items, as instants with their zone, for confirmation prompts. */
  readonly instants: string[] = []
  readonly changes = new CompletedChanges()
  readonly statusLine: StatusLine
  readonly redact: Redact
  readonly redactKeys: Redact
  readonly #setup: ContextSetup
  readonly #secrets: KnownSecrets
  readonly #serviceFacts: ServiceFacts
  readonly #closers: (() => Promise<void> | void)[] = []
  #isNewProfile = false
  #settings: Settings | undefined
  #printer: Printer | undefined
  #client: Promise<Client> | undefined
  #key: Promise<string> | undefined
  #audit: ReturnType<RunningCommand['audit']> | undefined
  #backup: Promise<Backup | undefined> | undefined
  #confirmation: Promise<void> | undefined

  constructor(setup: ContextSetup) {
    const { host, flags, secrets = new KnownSecrets() } = setup
    this.#setup = { ...setup, secrets }
    this.host = host
    this.flags = flags
    this.command = setup.command
    this.interrupt = setup.interrupt
    this.connect = setup.connect ?? connectOverNetwork
    this.#secrets = secrets
    this.redact = secrets.redact
    this.redactKeys = secrets.redactKeys
    this.#serviceFacts = { allowsIncomplete: flags.allowIncomplete === true }
    this.statusLine = new StatusLine(host)
    this.addSecret(host.env['MEETROOM_API_KEY']?.trim())
  }

  /** @throws {UsageError} if a flag, an environment variable or the settings file is invalid */
  async settings(): Promise<Settings> {
    this.#settings ??= await loadSettings(this, this.#isNewProfile)
    return this.#settings
  }

  /** Allows the selected profile to be missing from the settings file. */
  expectNewProfile(): void {
    this.#isNewProfile = true
  }

  storedConfig(): Promise<StoredConfig> {
    return readStoredConfig(this.host)
  }

  changeConfig(change: (config: StoredConfig) => StoredConfig): Promise<void> {
    return changeStoredConfig(this, change)
  }

  /**
   * @param format format to use instead of the format of the settings
   * @throws {UsageError} for invalid `--columns`, `--query` or settings
   */
  async printer(format?: Format): Promise<Printer> {
    if (this.#printer && (format ?? this.#printer.options.format) === this.#printer.options.format)
      return this.#printer
    const { output, timeZone } = await this.settings()
    const { columns, header, color, quiet = false, showTokens = false, delimiter, bom = false } = this.flags
    const names = columns?.split(',').map((name) => name.trim())
    if (names?.includes(''))
      throw new UsageError(
        `--columns must be field names separated by commas, such as id,name, not “${columns}”`,
      )
    const { query: expression } = this.flags
    const query =
      expression === undefined
        ? undefined
        : (await import('../output/formats/query.ts')).parseQuery(expression)
    const readZone = async () => (await import('../calendar/time-zone.ts')).readTimeZone(this)
    // An import would read the local times of an export as UTC.
    const isForSpreadsheet = (delimiter !== undefined || bom) && !/ export$/.test(this.command)
    const options: PrintOptions = {
      ...{ format: format ?? output.value, columns: names, typedColumns: columns, query },
      ...{ header, color, quiet, showTokens },
      // In an import, `--delimiter` is for the input and the failed rows, and `--bom` for the failed rows.
      ...(/ import$/.test(this.command)
        ? {}
        : { csv: { delimiter, bom, zone: isForSpreadsheet ? await readZone() : undefined } }),
    }
    if (timeZone?.from === '--time-zone') options.zone = await readZone()
    this.#printer = this.makePrinter(options)
    return this.#printer
  }

  protected makePrinter(options: PrintOptions): Printer {
    return new Printer(this.host, options, this.redactKeys, this.statusLine)
  }

  get format(): Format | undefined {
    return this.#settings?.output.value
  }

  /** Format of errors. On a terminal, `--query` alone does not make errors JSON. */
  get errorFormat(): Format | undefined {
    return this.#settings?.output.from === '--query' && this.host.stderr.isTTY ? 'table' : this.format
  }

  /** Returns a printer that needs no valid settings. */
  plainPrinter(): Printer {
    const { header, color, quiet = false } = this.flags
    return new Printer(this.host, { format: 'table', header, color, quiet }, this.redactKeys)
  }

  async notice(text: Hint): Promise<void> {
    await (await this.printer()).notice(await this.hintText(text))
  }

  /** Returns the flags that select the service of this run, for suggested commands. */
  target(): Promise<readonly string[]> {
    return findTarget(this.host, this.flags)
  }

  async hintText(hint: Hint): Promise<string> {
    return formatHintText(hint, typeof hint === 'string' ? [] : await this.target(), this.redactKeys)
  }

  /** @throws {UsageError} if a flag cannot be used with this effect, or `--allow-write` is needed */
  async requireAllowedFlags(effect: Effect, isForEachProfile = effect === 'reads'): Promise<void> {
    refuseFlags(this, effect, isForEachProfile)
    // Items that the command reads can later prove that its writes succeeded.
    if (effect !== 'reads') this.#serviceFacts.known ??= new KnownItems()
    this.#serviceFacts.mayWrite = mayWrite(effect)
    // Each write is checked again. This early check avoids a needless confirmation prompt.
    if (alwaysWrites(effect)) requireWritable(this.flags, await this.settings())
  }

  /** Starts the work of a command whose arguments are checked. Returns true if names are looked up. */
  start = (_effect: Effect): boolean => true

  /**
   * @param unread data on which the requests depend, such as `the rooms of the users`
   * @throws {UsageError} with `--curl`
   */
  refuseCurl(unread: string, hint?: Hint): void {
    if (this.flags.curl) throw new UsageError(`--curl cannot be used: this command reads ${unread}`, { hint })
  }

  /** Returns a client for the selected service. Without a setup, the client is shared. */
  client(setup?: ClientSetup): Promise<Client> {
    if (setup) return this.#openClient(setup)
    this.#client ??= this.#openClient({})
    return this.#client
  }

  async #openClient(setup: ClientSetup): Promise<Client> {
    return openClient(this, { serviceFacts: this.#serviceFacts, ...setup }, await findService(this))
  }

  /** Returns a client for lookups before the main request. Lookups are sent even with `--curl`. */
  lookup(): Promise<Client> {
    return this.client(this.flags.curl ? { lookup: true } : undefined)
  }

  /** Runs work, and adds the flags that select the service to errors, for suggested commands. */
  async run<T>(work: (context: this) => Promise<T>): Promise<T> {
    try {
      return await work(this)
    } catch (error) {
      if (error instanceof MeetroomError) error.target ??= await this.target()
      throw error
    }
  }

  setupWith(flags: GlobalFlags): ContextSetup {
    return { ...this.#setup, flags }
  }

  withFlags(flags: GlobalFlags): Context {
    const other = new Context(this.setupWith(flags))
    this.closeLater(() => other.close())
    return other
  }

  async reportError(error: MeetroomError, profile?: string): Promise<void> {
    await this.settings()
    const { reportError } = await import('../output/error.ts')
    await reportError(this.host, error, {
      format: this.errorFormat,
      color: this.flags.color,
      verbose: this.flags.verbose ?? false,
      redact: this.redact,
      target: await this.target(),
      statusLine: this.statusLine,
      profile,
    })
  }

  addSecret(secret: string | undefined): void {
    this.#secrets.add(secret)
  }

  /**
   * Asks only once, even for different changes.
   * @throws {ConfirmationError} if the change is not confirmed
   */
  confirm(change: Change): Promise<void> {
    this.#confirmation ??= this.#askToConfirm(change)
    return this.#confirmation
  }

  async #askToConfirm(change: Change): Promise<void> {
    const { confirm } = await import('../requests/confirm.ts')
    const selected = this.instants.length > 0 ? `, selected by ${this.instants.join(' and ')}` : ''
    const describe = async () => `${await change.describe()}${selected}, ${await describePlace(this)}`
    return confirm(this, { ...change, describe })
  }

  key(): Promise<string> {
    this.#key ??= readKey(this)
    return this.#key
  }

  audit(): ReturnType<RunningCommand['audit']> {
    this.#audit ??= this.#openAudit()
    return this.#audit
  }

  async #openAudit() {
    const { auditLog, profile } = await this.settings()
    if (!auditLog || !this.flags.audit) return undefined
    const { openAudit } = await import('../requests/audit/audit.ts')
    const audit = await openAudit(auditLog.value, profile.value, this)
    this.closeLater(() => audit.close())
    return audit
  }

  backup(): Promise<Backup | undefined> {
    this.#backup ??= this.#setup.openBackup(this)
    return this.#backup
  }

  readList(...args: Parameters<ReadPages>): ReturnType<ReadPages> {
    return this.#setup.readList(this, ...args)
  }

  closeLater(close: () => Promise<void> | void): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    const backup = await this.#backup?.catch(() => undefined)
    await backup?.close()
    for (const close of this.#closers) await close()
  }
}
