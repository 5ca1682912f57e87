import type { Client, ReadPages } from '../../client/client.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import type { Settings } from '../../config/settings.ts'
import type { Format } from '../../config/values.ts'
import { type Hint, MeetroomError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { PrintOptions } from '../output/formats/list-writer.ts'
import type { Query } from '../output/formats/query.ts'
import { formatHintText } from '../output/hint-text.ts'
import { Printer } from '../output/printer.ts'
import { KnownSecrets, type Redact } from '../output/redaction/redaction.ts'
import { StatusLine } from '../output/terminal/status-line.ts'
import type { Backup } from '../requests/backup.ts'
import { requireWritable } from '../requests/before-send.ts'
import { CommandSettings, findTarget } from '../requests/command-settings.ts'
import type { Change } from '../requests/confirm.ts'
import { connectOverNetwork } from '../requests/find-service.ts'
import type { ClientSetup, Connect } from '../requests/service.ts'
import { Services } from '../requests/services.ts'
import { alwaysWrites, type Effect, mayWrite, sendsRequests } from './effect.ts'

export interface ContextSetup {
  flags: GlobalFlags
  command: string
  interrupt: AbortSignal
  connect: Connect | undefined
  /** Opens the backup for deleted records. Required, so that no command can delete without it by mistake. */
  openBackup: (context: Context) => Promise<Backup | undefined>
  /** Reads a list, to prove writes. */
  readList: (context: Context, ...args: Parameters<ReadPages>) => ReturnType<ReadPages>
  secrets?: KnownSecrets
}

/** Context of a running command: host, flags, and services that are created when needed. */
export class Context {
  readonly flags: GlobalFlags
  readonly command: string
  /** Signal that aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly interrupt: AbortSignal
  readonly secrets: KnownSecrets
  /** Conditions on times that select items, as instants with their zone. Confirmation prompts show them. */
  readonly instants: string[] = []
  readonly config: CommandSettings
  readonly services: Services
  readonly statusLine: StatusLine
  readonly #connect: Connect
  readonly #openBackup: ContextSetup['openBackup']
  readonly #readList: ContextSetup['readList']
  #backup: Promise<Backup | undefined> | undefined
  #printer: Printer | undefined
  #confirmation: Promise<void> | undefined

  constructor(
    readonly host: Host,
    { flags, command, interrupt, connect, openBackup, readList, secrets = new KnownSecrets() }: ContextSetup,
  ) {
    this.flags = flags
    this.command = command
    this.interrupt = interrupt
    this.secrets = secrets
    this.#connect = connect ?? connectOverNetwork
    this.#openBackup = openBackup
    this.#readList = readList
    this.statusLine = new StatusLine(host)
    const addSecret = (secret: string | undefined) => secrets.add(secret)
    addSecret(host.env['MEETROOM_API_KEY']?.trim())
    const notice = (text: string) => this.notice(text)
    this.config = new CommandSettings({ host, flags, interrupt, addSecret, notice })
    this.services = new Services({
      host,
      flags,
      command,
      interrupt,
      connect: this.#connect,
      addSecret,
      redact: secrets.redact,
      redactKeys: secrets.redactKeys,
      settings: () => this.settings(),
      printer: () => this.printer(),
      configDir: () => this.config.dir(),
      confirm: (change) => this.confirm(change),
      openBackup: () => this.backup(),
      readList: (...args) => readList(this, ...args),
    })
  }

  /** @throws {UsageError} if flags, environment or settings file contain an invalid value */
  async settings(): Promise<Settings> {
    return this.config.settings()
  }

  /** @param format replaces the format of the settings, for commands that support only some formats */
  async printer(format?: Format): Promise<Printer> {
    if (this.#printer && (format ?? this.#printer.options.format) === this.#printer.options.format)
      return this.#printer
    const { output } = await this.settings()
    const { columns, header, color, quiet = false, showTokens = false } = this.flags
    const names = columns?.split(',').map((name) => name.trim())
    if (names?.includes(''))
      throw new UsageError('--columns must be field names separated by commas, such as id,name')
    const query = await this.#query()
    const options = {
      format: format ?? output.value,
      columns: names,
      header,
      color,
      quiet,
      showTokens,
      query,
    }
    this.#printer = this.makePrinter(options)
    return this.#printer
  }

  protected makePrinter(options: PrintOptions): Printer {
    return new Printer(this.host, options, this.redactKeys, this.statusLine)
  }

  /** @throws {UsageError} if `--query` is not a valid expression */
  async #query(): Promise<Query | undefined> {
    if (this.flags.query === undefined) return undefined
    const { parseQuery } = await import('../output/formats/query.ts')
    return parseQuery(this.flags.query)
  }

  get format(): Format | undefined {
    return this.config.loaded?.output.value
  }

  /** Returns a printer that needs no valid settings. */
  plainPrinter(): Printer {
    const { header, color, quiet = false } = this.flags
    return new Printer(this.host, { format: 'table', header, color, quiet }, this.redactKeys)
  }

  async notice(text: Hint): Promise<void> {
    await (await this.printer()).notice(await this.hintText(text))
  }

  /** Returns the flags that select the service of this run, for commands to paste. */
  target(): Promise<readonly string[]> {
    return findTarget(this.host, this.flags)
  }

  async hintText(hint: Hint): Promise<string> {
    return formatHintText(hint, typeof hint === 'string' ? [] : await this.target(), this.redactKeys)
  }

  /** @throws {UsageError} when a flag cannot be used with a command of this effect */
  async requireAllowedFlags(effect: Effect, isForEachProfile = effect === 'reads'): Promise<void> {
    const { dryRun, curl, allProfiles, allowIncomplete = false } = this.flags
    if (allProfiles && !isForEachProfile)
      throw new UsageError('--all-profiles is for commands that only read from a service')
    if (allowIncomplete && effect !== 'reads')
      throw new UsageError('--allow-incomplete is for commands that only read from a service')
    if ((dryRun || curl) && !sendsRequests(effect))
      throw new UsageError(`${dryRun ? '--dry-run' : '--curl'} is for commands that send requests`)
    if (effect !== 'reads') this.services.rememberItems()
    this.services.setMayWrite(mayWrite(effect))
    // Each write is checked again. This early check avoids a needless confirmation prompt.
    if (alwaysWrites(effect)) requireWritable(this.flags, await this.settings())
  }

  /** Returns a client for the selected service. Without a setup, the client is shared. */
  client(setup?: Partial<ClientSetup>): Promise<Client> {
    return this.services.client(setup)
  }

  /** Returns a client for lookups before the main request. With `--curl`, lookups are sent. */
  lookup(): Promise<Client> {
    return this.client(this.flags.curl ? { lookup: true } : undefined)
  }

  /** Runs work on the service of this context. The commands that its errors suggest are for this service. */
  async run<T>(work: (context: this) => Promise<T>): Promise<T> {
    try {
      return await work(this)
    } catch (error) {
      if (error instanceof MeetroomError) error.target ??= await this.target()
      throw error
    }
  }

  withFlags(flags: GlobalFlags): Context {
    const other = new Context(this.host, {
      flags,
      command: this.command,
      interrupt: this.interrupt,
      connect: this.#connect,
      openBackup: this.#openBackup,
      readList: this.#readList,
      secrets: this.secrets,
    })
    this.services.closeLater(() => other.close())
    return other
  }

  async reportError(error: MeetroomError, profile?: string): Promise<void> {
    const { output } = await this.settings()
    const { reportError } = await import('../output/error.ts')
    await reportError(this.host, error, {
      format: output.value,
      color: this.flags.color,
      verbose: this.flags.verbose ?? false,
      redact: this.redact,
      target: await this.target(),
      statusLine: this.statusLine,
      profile,
    })
  }

  get redact(): Redact {
    return this.secrets.redact
  }

  /** Masks keys but not access tokens, which the user may have requested. */
  get redactKeys(): Redact {
    return this.secrets.redactKeys
  }

  addSecret(secret: string | undefined): void {
    this.secrets.add(secret)
  }

  /** @throws {ConfirmationError} if the change is not confirmed */
  confirm(change: Change): Promise<void> {
    this.#confirmation ??= this.#askToConfirm(change)
    return this.#confirmation
  }

  async #askToConfirm(change: Change): Promise<void> {
    const { confirm } = await import('../requests/confirm.ts')
    const selected = this.instants.length > 0 ? `, selected by ${this.instants.join(' and ')}` : ''
    const describe = async () =>
      `${await change.describe()}${selected}, ${await this.services.describePlace()}`
    return confirm(this, { ...change, describe })
  }

  backup(): Promise<Backup | undefined> {
    this.#backup ??= this.#openBackup(this)
    return this.#backup
  }

  async close(): Promise<void> {
    const backup = await this.#backup?.catch(() => undefined)
    await backup?.close()
    await this.services.close()
  }
}
