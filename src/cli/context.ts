import type { Client } from '../api/client.ts'
import type { Route } from '../api/endpoints.ts'
import type { AnyInput } from '../api/request.ts'
import type { Seen } from '../api/standing.ts'
import type { Trail } from '../api/trail.ts'
import { keyFor, resolveSettings, type Settings } from '../config.ts'
import type { Format } from '../config-values.ts'
import { type MeetroomError, UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { configFile, readConfig, type StoredConfig } from '../stored-config.ts'
import { requireUnwritable } from '../trusted-file.ts'
import { requireWritable } from './before-send.ts'
import { type Change, confirm } from './confirm.ts'
import type { Effect } from './effect.ts'
import {
  connectOverNetwork,
  dataDir,
  findService,
  liveBaseUrl,
  requireBaseUrl,
  requireOwner,
} from './find-service.ts'
import type { GlobalFlags } from './global-flags.ts'
import { isJson, reportError } from './output/error.ts'
import { KnownSecrets } from './output/known-secrets.ts'
import type { PrintOptions } from './output/list-writer.ts'
import { Printer } from './output/printer.ts'
import type { Query } from './output/query.ts'
import type { Redact } from './output/redact.ts'
import { StatusLine } from './output/status-line.ts'
import type { Saver } from './saving/saving.ts'
import {
  type Audit,
  type ClientSetup,
  type Connect,
  type OpenTransport,
  openClient,
  type Service,
  type Surroundings,
} from './service.ts'

/** What a command is run with. */
interface Start {
  flags: GlobalFlags
  /** Its words: `users delete`. */
  command: string
  /** Aborted by SIGINT and SIGTERM. */
  interrupt: AbortSignal
  connect: Connect | undefined
  /** Makes what keeps what is deleted. Not optional: what a context can forget, a command will. */
  openSaver: (context: Context) => Promise<Saver | undefined>
  secrets?: KnownSecrets
}

/** What a command works with: host and flags, and what follows from them, each made when it is first asked for. */
export class Context {
  readonly flags: GlobalFlags
  /** The words of the command: `users delete`. */
  readonly command: string
  /** Aborted by SIGINT and SIGTERM. */
  readonly interrupt: AbortSignal
  /** What must never be shown. */
  readonly secrets: KnownSecrets
  readonly #connect: Connect
  readonly #openSaver: Start['openSaver']
  #saver: Promise<Saver | undefined> | undefined
  readonly statusLine: StatusLine
  #settings: Settings | undefined
  #printer: Printer | undefined
  #client: Promise<Client> | undefined
  #key: Promise<string> | undefined
  #confirmation: Promise<void> | undefined
  #audit: Promise<Audit | undefined> | undefined
  #newProfile = false
  /** What the clients of this run have found out about the service. */
  readonly #seen: Seen = {}
  readonly #closers: (() => Promise<void> | void)[] = []

  constructor(
    readonly host: Host,
    { flags, command, interrupt, connect, openSaver, secrets = new KnownSecrets() }: Start,
  ) {
    this.flags = flags
    this.command = command
    this.interrupt = interrupt
    this.secrets = secrets
    this.#connect = connect ?? connectOverNetwork
    this.#openSaver = openSaver
    this.statusLine = new StatusLine(host)
    this.keepSecret(host.env['MEETROOM_API_KEY']?.trim())
  }

  /** Folder of the settings file. */
  async configDir(): Promise<string> {
    return this.host.env['MEETROOM_CONFIG_DIR'] || (await this.host.dirs()).config
  }

  /** The profile that is named need not exist: the command is about to make it. */
  expectNewProfile(): void {
    this.#newProfile = true
  }

  /** @throws {UsageError} when flags, environment or settings file hold something unusable */
  async settings(): Promise<Settings> {
    if (this.#settings) return this.#settings
    const dir = await this.configDir()
    this.#settings = withQuery(
      resolveSettings(this.flags, this.host.env, () => readConfig(dir, this.host.uid), this.#newProfile),
      this.flags.query,
    )
    this.keepSecret(this.#settings.apiKey?.value)
    return this.#settings
  }

  async storedConfig(): Promise<StoredConfig> {
    return readConfig(await this.configDir(), this.host.uid)
  }

  /**
   * Changes the settings file, by what is in it then.
   * @throws {UsageError | OutputError} when it is broken or cannot be written; it stays as it is then
   */
  async changeConfig(change: (config: StoredConfig) => StoredConfig): Promise<void> {
    const { changeConfig } = await import('../config-store.ts')
    const dir = await this.configDir()
    const open = await changeConfig(dir, this.host, this.interrupt, change)
    if (open) await this.notice(`warning: others may be able to read ${configFile(dir)}: ${open}`)
  }

  /** @param format another than the settings say: the command has a use for some only */
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

  /** @throws {UsageError} when `--query` is not valid */
  async #query(): Promise<Query | undefined> {
    if (this.flags.query === undefined) return undefined
    const { parseQuery } = await import('./output/query.ts')
    return parseQuery(this.flags.query)
  }

  /** The output format, once it is known. */
  get format(): Format | undefined {
    return this.#settings?.output.value
  }

  /** A printer that needs no settings: for what must work when they are broken. */
  plainPrinter(): Printer {
    const { header, color, quiet = false } = this.flags
    return new Printer(this.host, { format: 'table', header, color, quiet }, this.redactKeys)
  }

  async notice(text: string): Promise<void> {
    await (await this.printer()).notice(text)
  }

  /**
   * Refuses flags that do not fit what the command does, before it does anything.
   * @throws {UsageError}
   */
  async permit(effect: Effect): Promise<void> {
    const { dryRun, curl, allProfiles } = this.flags
    if (allProfiles && effect !== 'reads')
      throw new UsageError('--all-profiles is for commands that only read from a service')
    if ((dryRun || curl) && ['stays', 'joins', 'machine'].includes(effect))
      throw new UsageError(`${dryRun ? '--dry-run' : '--curl'} is for commands that send requests`)
    // Asked again before each write: this only spares the questions that come before the first.
    if (effect === 'writes' || effect === 'joins') requireWritable(this.flags, await this.settings())
  }

  /** A client of the service that the settings name. Made once where nothing special is asked of it. */
  client(setup?: Partial<ClientSetup>): Promise<Client> {
    if (setup) return this.#open(setup)
    this.#client ??= this.#open({})
    return this.#client
  }

  /** A client that finds things out before anything is shown: `--curl` holds back the request that is meant, and no other. */
  lookup(): Promise<Client> {
    return this.client(this.flags.curl ? { lookup: true } : undefined)
  }

  async #open(setup: Partial<ClientSetup>): Promise<Client> {
    const around = await this.#surroundings()
    return openClient(
      around,
      { interrupt: this.interrupt, seen: this.#seen, ...setup },
      await findService(around),
    )
  }

  /** The same with other flags: for what another command line would do. */
  with(flags: GlobalFlags): Context {
    const other = new Context(this.host, {
      flags,
      command: this.command,
      interrupt: this.interrupt,
      connect: this.#connect,
      openSaver: this.#openSaver,
      secrets: this.secrets,
    })
    this.#closers.push(() => other.close())
    return other
  }

  /**
   * The key that may be sent to the service. A command that prints it runs once.
   * @throws {AuthError} when there is none
   */
  key(): Promise<string> {
    this.#key ??= this.#readKey()
    return this.#key
  }

  async #readKey(): Promise<string> {
    const settings = await this.settings()
    const key = keyFor(settings)
    if ('value' in key) return key.value
    const file = configFile(await this.configDir())
    requireUnwritable(file, this.host.uid, `the settings file ${file}`)
    return this.runKeyCommand(key.command, settings.keyCommand?.from ?? '')
  }

  /** The key that a command prints. */
  async runKeyCommand(command: string, from: string): Promise<string> {
    const { runKeyCommand } = await import('./key-command.ts')
    const { host, interrupt } = this
    return runKeyCommand(command, from, { host, interrupt, keepSecret: (secret) => this.keepSecret(secret) })
  }

  /**
   * A client for what stays. It never opens the local workspace itself: nobody could serve it then.
   * @throws {UsageError} when the local workspace is not served
   */
  async liveClient(setup: Partial<ClientSetup>): Promise<Client> {
    const { local } = await this.settings()
    if (!local) return this.client(setup)
    const { base_url, apiKey } = await requireOwner(this.host)
    return this.clientFor(base_url, apiKey, setup)
  }

  /** A client of any service with any key. */
  async clientFor(baseUrl: string, apiKey: string, setup: Partial<ClientSetup> = {}): Promise<Client> {
    const service: Service = {
      baseUrl,
      open: async (connections) => ({
        transport: await this.#connect(baseUrl, this.host, connections),
        apiKey,
      }),
    }
    return openClient(await this.#surroundings(), { interrupt: this.interrupt, ...setup }, service)
  }

  async #surroundings(): Promise<Surroundings> {
    return {
      host: this.host,
      flags: this.flags,
      settings: await this.settings(),
      printer: await this.printer(),
      connect: this.#connect,
      closeLater: (close) => this.#closers.push(close),
      key: () => this.key(),
      keepSecret: (secret) => this.keepSecret(secret),
      redactKeys: this.redactKeys,
      audit: await this.#audited(),
      confirm: (change) => this.confirm(change),
      saver: () => this.saver(),
    }
  }

  /** Puts changes on record, where the settings name a file for that. */
  #audited(): Promise<Audit | undefined> {
    this.#audit ??= this.settings().then(async ({ auditLog, profile }) => {
      if (!auditLog || !this.flags.audit) return undefined
      const { openAudit } = await import('./audit/audit.ts')
      const audit = await openAudit(auditLog.value, {
        profile: profile.value,
        host: this.host,
        redact: this.redact,
        notice: (text) => this.notice(text),
      })
      this.#closers.push(() => audit.close())
      return audit.trail
    })
    return this.#audit
  }

  /** The record of a change that is no request of a client; undefined where there is no audit log. */
  async trail(endpoint: Route, input: AnyInput): Promise<Trail | undefined> {
    const audit = await this.#audited()
    if (!audit) return undefined
    const { local } = await this.settings()
    const place = local ? await dataDir(this.host) : new URL(await this.liveBaseUrl()).origin
    return audit(place, endpoint, input)
  }

  /**
   * Base URL of the service for what needs a connection that stays.
   * @throws {UsageError} when the local workspace is not served
   */
  async liveBaseUrl(): Promise<string> {
    return liveBaseUrl(this.host, await this.settings())
  }

  /** A way to send requests anywhere. The caller closes it. */
  transportTo(url: string): Promise<OpenTransport> {
    return this.#connect(url, this.host)
  }

  /**
   * An error that does not end the command, to standard error.
   * @param profile where it happened, of several
   */
  async report(error: MeetroomError, profile?: string): Promise<void> {
    const { output } = await this.settings()
    await reportError(this.host, error, {
      json: isJson(output.value),
      color: this.flags.color,
      verbose: this.flags.verbose ?? false,
      redact: this.redact,
      statusLine: this.statusLine,
      profile,
    })
  }

  /** Takes out what must never be shown, not even inside somebody else’s text: keys and access tokens. */
  get redact(): Redact {
    return this.secrets.redact
  }

  /** Takes out the keys alone: results may hold access tokens that were asked for. */
  get redactKeys(): Redact {
    return this.secrets.redactKeys
  }

  /** Takes note of what must never be shown. */
  keepSecret(secret: string | undefined): void {
    this.secrets.keep(secret)
  }

  /** What is talked to, for people and journals: a base URL, or the folder of the embedded workspace. */
  async target(): Promise<string> {
    const settings = await this.settings()
    return settings.local ? `the local workspace in ${await dataDir(this.host)}` : requireBaseUrl(settings)
  }

  /** Where changes are made, for questions: `at https://host (profile staging)`. */
  async #place(): Promise<string> {
    const { local, profile } = await this.settings()
    const target = await this.target()
    return local ? `in ${target}` : `at ${new URL(target).origin} (profile ${profile.value})`
  }

  /**
   * Asks before a change to the service. One answer covers the whole command.
   * @throws {ConfirmationError} when it is not confirmed
   */
  confirm(change: Change): Promise<void> {
    this.#confirmation ??= confirm(this, {
      ...change,
      describe: async () => `${await change.describe()}, ${await this.#place()}`,
    })
    return this.#confirmation
  }

  /** What keeps what is deleted; undefined where neither flags nor settings ask for that. */
  saver(): Promise<Saver | undefined> {
    this.#saver ??= this.#openSaver(this)
    return this.#saver
  }

  async close(): Promise<void> {
    const saver = await this.#saver?.catch(() => undefined)
    await saver?.close()
    for (const close of this.#closers) await close()
  }
}

/** `--query` is about JSON, and TSV is the one other form that what it selects may have. */
function withQuery(settings: Settings, query: string | undefined): Settings {
  const { value, from } = settings.output
  if (query === undefined || value === 'json' || value === 'tsv') return settings
  if (from === '--output')
    throw new UsageError(`--query works with the formats json and tsv, not with ${value}`)
  return { ...settings, output: { value: 'json', from: '--query' } }
}
