import type { Client } from '../../client/client.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import { type Settings, targetFlags } from '../../config/settings.ts'
import type { Format } from '../../config/values.ts'
import { type Hint, type MeetroomError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { isJson, reportError } from '../output/error.ts'
import type { PrintOptions } from '../output/formats/list-writer.ts'
import type { Query } from '../output/formats/query.ts'
import { formatHintText } from '../output/hint-text.ts'
import { Printer } from '../output/printer.ts'
import { KnownSecrets } from '../output/redaction/known-secrets.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { StatusLine } from '../output/terminal/status-line.ts'
import type { Backup } from '../requests/backup.ts'
import { requireWritable } from '../requests/before-send.ts'
import { CommandSettings } from '../requests/command-settings.ts'
import { type Change, confirm } from '../requests/confirm.ts'
import { connectOverNetwork } from '../requests/find-service.ts'
import type { ClientSetup, Connect } from '../requests/service.ts'
import { Services } from '../requests/services.ts'
import type { Effect } from './effect.ts'

interface ContextSetup {
  flags: GlobalFlags
  command: string
  interrupt: AbortSignal
  connect: Connect | undefined
  /** Opens the backup of deleted records. Required, so that no context lacks it. */
  openSaver: (context: Context) => Promise<Backup | undefined>
  secrets?: KnownSecrets
}

/** Host, flags and lazily created services of a running command. */
export class Context {
  readonly flags: GlobalFlags
  /** Words of the command: `users delete`. */
  readonly command: string
  /** Aborted by SIGINT and SIGTERM. */
  readonly interrupt: AbortSignal
  readonly secrets: KnownSecrets
  readonly config: CommandSettings
  readonly services: Services
  readonly statusLine: StatusLine
  readonly #connect: Connect
  readonly #openSaver: ContextSetup['openSaver']
  #saver: Promise<Backup | undefined> | undefined
  #printer: Printer | undefined
  #confirmation: Promise<void> | undefined

  constructor(
    readonly host: Host,
    { flags, command, interrupt, connect, openSaver, secrets = new KnownSecrets() }: ContextSetup,
  ) {
    this.flags = flags
    this.command = command
    this.interrupt = interrupt
    this.secrets = secrets
    this.#connect = connect ?? connectOverNetwork
    this.#openSaver = openSaver
    this.statusLine = new StatusLine(host)
    const keepSecret = (secret: string | undefined) => secrets.add(secret)
    keepSecret(host.env['MEETROOM_API_KEY']?.trim())
    const notice = (text: string) => this.notice(text)
    this.config = new CommandSettings({ host, flags, interrupt, keepSecret, notice })
    this.services = new Services({
      host,
      flags,
      command,
      interrupt,
      connect: this.#connect,
      keepSecret,
      redact: secrets.redact,
      redactKeys: secrets.redactKeys,
      settings: () => this.settings(),
      printer: () => this.printer(),
      configDir: () => this.config.dir(),
      confirm: (change) => this.confirm(change),
      saver: () => this.saver(),
    })
  }

  /** @throws {UsageError} if flags, environment or settings file hold an invalid value */
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
      throw new UsageError('--columns takes names with commas between them, as in id,name')
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

  /** Returns a printer that works without valid settings. */
  plainPrinter(): Printer {
    const { header, color, quiet = false } = this.flags
    return new Printer(this.host, { format: 'table', header, color, quiet }, this.redactKeys)
  }

  async notice(text: Hint): Promise<void> {
    await (await this.printer()).notice(this.hintText(text))
  }

  get target(): readonly string[] {
    return targetFlags(this.flags, this.host.env)
  }

  hintText(hint: Hint): string {
    return formatHintText(hint, this.target, this.redactKeys)
  }

  /**
   * Refuses flags that do not apply to the effect of the command.
   * @throws {UsageError}
   */
  async permit(effect: Effect, isForEachProfile = effect === 'reads'): Promise<void> {
    const { dryRun, curl, allProfiles } = this.flags
    if (allProfiles && !isForEachProfile)
      throw new UsageError('--all-profiles is for commands that only read from a service')
    if ((dryRun || curl) && ['stays', 'joins', 'machine'].includes(effect))
      throw new UsageError(`${dryRun ? '--dry-run' : '--curl'} is for commands that send requests`)
    // Checked again before each write. This check avoids a needless confirmation prompt.
    if (effect === 'writes' || effect === 'joins') requireWritable(this.flags, await this.settings())
  }

  /** Returns a client of the selected service. The client is shared if there is no setup. */
  client(setup?: Partial<ClientSetup>): Promise<Client> {
    return this.services.client(setup)
  }

  /** Returns a client for lookups before the main request. `--curl` prints only the main request. */
  lookup(): Promise<Client> {
    return this.client(this.flags.curl ? { lookup: true } : undefined)
  }

  with(flags: GlobalFlags): Context {
    const other = new Context(this.host, {
      flags,
      command: this.command,
      interrupt: this.interrupt,
      connect: this.#connect,
      openSaver: this.#openSaver,
      secrets: this.secrets,
    })
    this.services.closeLater(() => other.close())
    return other
  }

  async report(error: MeetroomError, profile?: string): Promise<void> {
    const { output } = await this.settings()
    await reportError(this.host, error, {
      json: isJson(output.value),
      color: this.flags.color,
      verbose: this.flags.verbose ?? false,
      redact: this.redact,
      target: this.target,
      statusLine: this.statusLine,
      profile,
    })
  }

  /** Removes keys and access tokens from a text. */
  get redact(): Redact {
    return this.secrets.redact
  }

  /** Removes keys only: results may hold access tokens that the user asked for. */
  get redactKeys(): Redact {
    return this.secrets.redactKeys
  }

  keepSecret(secret: string | undefined): void {
    this.secrets.add(secret)
  }

  /** @throws {ConfirmationError} if the change is not confirmed */
  confirm(change: Change): Promise<void> {
    this.#confirmation ??= confirm(this, {
      ...change,
      describe: async () => `${await change.describe()}, ${await this.services.place()}`,
    })
    return this.#confirmation
  }

  /** Returns the backup of deleted records; undefined if it is not enabled. */
  saver(): Promise<Backup | undefined> {
    this.#saver ??= this.#openSaver(this)
    return this.#saver
  }

  async close(): Promise<void> {
    const saver = await this.#saver?.catch(() => undefined)
    await saver?.close()
    await this.services.close()
  }
}
