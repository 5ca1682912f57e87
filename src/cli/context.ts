import { type Answer, type Client, createClient } from '../api/client.ts'
import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import type { Input, Output } from '../api/operation.ts'
import type { Operations } from '../api/operations.ts'
import { type AnyInput, buildRequest } from '../api/request.ts'
import type { Transport } from '../api/wire.ts'
import { keyFor, readConfig, resolveSettings, type Settings, type StoredConfig } from '../config.ts'
import { type Format, isClear } from '../config-values.ts'
import { type MeetroomError, UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import { isJson, reportError } from './output/error.ts'
import { Printer } from './output/printer.ts'
import { formatCurl, formatRequest } from './output/request.ts'
import { visibleJson } from './output/visible.ts'
import {
  type Connect,
  connectOverNetwork,
  dataDir,
  localBaseUrl,
  type OpenTransport,
  requireBaseUrl,
} from './service.ts'

/** The global flags, as Commander hands them over. */
export interface GlobalFlags {
  output?: string
  json?: boolean
  columns?: string
  header: boolean
  profile?: string
  local?: boolean
  baseUrl?: string
  timeout?: string
  retries?: string
  dryRun?: boolean
  curl?: boolean
  yes?: boolean
  allowWrite?: boolean
  quiet?: boolean
  verbose?: boolean
  color: boolean
}

/** Wraps the work of a command into a Commander action: positionals, then options, behind the context. */
export type Act = <A extends unknown[]>(
  work: (context: Context, ...args: A) => Promise<void>,
) => (...args: unknown[]) => Promise<void>

/** What a client is to do otherwise than by default. */
interface ClientSetup {
  /** How many connections at the most. */
  connections?: number
  /** Aborts what is under way; the user's interrupt by default. */
  interrupt?: AbortSignal
  /** Told before each repetition, instead of the user. */
  onRetry?: (notice: { reason: string; waitMs: number }) => void
}

/** What a command works with: host and flags, and what follows from them, each made when it is first asked for. */
export class Context {
  readonly #connect: Connect
  #settings: Settings | undefined
  #printer: Printer | undefined
  #client: Promise<Client> | undefined
  #newProfile = false
  readonly #closers: (() => Promise<void> | void)[] = []
  readonly #secrets = new Set<string>()

  constructor(
    readonly host: Host,
    readonly flags: GlobalFlags,
    /** Aborted by SIGINT and SIGTERM. */
    readonly interrupt: AbortSignal,
    connect: Connect | undefined,
  ) {
    this.#connect = connect ?? connectOverNetwork
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
    this.#settings = resolveSettings(this.flags, this.host.env, () => readConfig(dir), this.#newProfile)
    return this.#settings
  }

  async storedConfig(): Promise<StoredConfig> {
    return readConfig(await this.configDir())
  }

  /** @param format another than the settings say: the command has a use for some only */
  async printer(format?: Format): Promise<Printer> {
    if (this.#printer && (format ?? this.#printer.options.format) === this.#printer.options.format)
      return this.#printer
    const { output } = await this.settings()
    const { columns, header, color, quiet = false } = this.flags
    const names = columns?.split(',').map((name) => name.trim())
    if (names?.includes(''))
      throw new UsageError('--columns takes names with commas between them, as in id,name')
    this.#printer = new Printer(this.host, {
      format: format ?? output.value,
      columns: names,
      header,
      color,
      quiet,
    })
    return this.#printer
  }

  /** The output format, once it is known. */
  get format(): Format | undefined {
    return this.#settings?.output.value
  }

  /** A printer that needs no settings: for what must work when they are broken. */
  plainPrinter(): Printer {
    const { header, color, quiet = false } = this.flags
    return new Printer(this.host, { format: 'table', header, color, quiet })
  }

  async notice(text: string): Promise<void> {
    await (await this.printer()).notice(text)
  }

  /** A client of the service that the settings name, made once. */
  client(): Promise<Client> {
    this.#client ??= this.#open()
    return this.#client
  }

  /** A client of the same service for many requests at once. */
  bulkClient(setup: ClientSetup): Promise<Client> {
    return this.#open(setup)
  }

  async #open(setup: ClientSetup = {}): Promise<Client> {
    const settings = await this.settings()
    if (settings.local) {
      const dir = await dataDir(this.host)
      const { findOwner } = await import('../local/owner.ts')
      const owner = await findOwner(dir, this.host.quietly)
      // One owner at a time: while the workspace is served, whoever wants it goes through the service.
      if (owner) return this.clientFor(owner.base_url, owner.apiKey, setup)
      const { openWorkspace } = await import('../local/workspace.ts')
      const workspace = await openWorkspace({ dir, host: this.host })
      this.#closers.push(() => workspace.close())
      const transport: Transport = async (request, signal) => {
        // Nothing else would let signals in: the embedded service answers reads without a pause.
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
        return workspace.service(request)
      }
      return this.#clientOf(transport, localBaseUrl, workspace.apiKey, setup)
    }
    const baseUrl = requireBaseUrl(settings.baseUrl)
    const apiKey = keyFor(settings)
    const url = new URL(baseUrl)
    if (settings.apiKeyOrigin === undefined && isClear(url))
      await this.notice(`warning: the API key travels unencrypted to ${url.host}; use https`)
    return this.clientFor(baseUrl, apiKey, setup)
  }

  /**
   * Base URL of the service for what needs a connection that stays.
   * @throws {UsageError} when the local workspace is not served
   */
  async liveBaseUrl(): Promise<string> {
    const { local, baseUrl } = await this.settings()
    if (!local) return requireBaseUrl(baseUrl)
    const { findOwner } = await import('../local/owner.ts')
    const owner = await findOwner(await dataDir(this.host), this.host.quietly)
    if (owner) return owner.base_url
    throw new UsageError('the local workspace is not served, and so has no sessions', {
      hint: 'start it in another terminal with: meetroom serve',
    })
  }

  /** A way to send requests anywhere. Whoever asks closes it. */
  transportTo(url: string): Promise<OpenTransport> {
    return this.#connect(url, this.host)
  }

  /** A client of any service with any key. */
  async clientFor(baseUrl: string, apiKey: string, setup: ClientSetup = {}): Promise<Client> {
    const transport = await this.#connect(baseUrl, this.host, setup.connections)
    this.#closers.push(() => transport.close?.())
    return this.#clientOf(transport, baseUrl, apiKey, setup)
  }

  async #clientOf(
    transport: Transport,
    baseUrl: string,
    apiKey: string,
    { interrupt = this.interrupt, onRetry }: ClientSetup,
  ): Promise<Client> {
    const { host, flags } = this
    const { timeout, retries } = await this.settings()
    const printer = await this.printer()
    this.#secrets.add(apiKey)
    return createClient({
      transport,
      baseUrl,
      apiKey,
      userAgent: `meetroom/${version} (node ${host.nodeVersion}; ${host.platform})`,
      interrupt,
      policy: {
        timeoutMs: timeout.value * 1000,
        retries: retries.value,
        clock: host,
        onRetry:
          onRetry ??
          (({ reason, waitMs }) =>
            void printer.notice(`${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`)),
      },
      ...(flags.verbose
        ? {
            onExchange: ({ method, url, status }) => void printer.notice(`${method} ${url} → ${status}`),
          }
        : {}),
    })
  }

  /**
   * Calls an operation, or shows it where the flags say so: `--curl` sends nothing at all, `--dry-run` sends no
   * write. Undefined means that it was shown.
   */
  async call<N extends OperationName>(
    name: N,
    input: Input<Operations[N]>,
  ): Promise<Answer<Output<Operations[N]>> | undefined> {
    if (await this.show(endpoints[name], input as AnyInput)) return undefined
    if (endpoints[name].method !== 'GET') await this.requireWritable()
    return (await this.client()).call(name, input)
  }

  /**
   * Asks whether the profile lets anything be changed; shown writes change nothing.
   * @throws {UsageError} when it is protected and nobody said --allow-write
   */
  async requireWritable(): Promise<void> {
    const { curl, dryRun, allowWrite } = this.flags
    if (curl || dryRun || allowWrite) return
    const { isProtected, profile } = await this.settings()
    if (isProtected)
      throw new UsageError(`the profile ${profile.value} is protected: nothing is changed through it`, {
        hint: 'add --allow-write if you mean it',
      })
  }

  /** Shows a request instead of sending it, where the flags say so. */
  async show(endpoint: Endpoint, input: AnyInput): Promise<boolean> {
    const { curl, dryRun } = this.flags
    if (!curl && !(dryRun && endpoint.method !== 'GET')) return false
    const { local, baseUrl } = await this.settings()
    const request = buildRequest(local ? localBaseUrl : requireBaseUrl(baseUrl), endpoint, input)
    const printer = await this.printer()
    const safe = this.host.stdout.isTTY ? visibleJson : (text: string) => text
    await printer.write(safe(curl ? formatCurl(request) : formatRequest(request, printer.options.format)))
    return true
  }

  /** An error that does not end the command, to standard error. */
  async report(error: MeetroomError): Promise<void> {
    const { output } = await this.settings()
    await reportError(this.host, error, {
      json: isJson(output.value),
      color: this.flags.color,
      verbose: this.flags.verbose ?? false,
      secrets: this.secrets,
    })
  }

  /** What must never be shown, not even inside somebody else’s text. */
  get secrets(): readonly string[] {
    const key = this.#settings?.apiKey?.value
    return [...new Set(key ? [key, ...this.#secrets] : this.#secrets)]
  }

  /** What is talked to, for people and journals: a base URL, or the folder of the embedded workspace. */
  async target(): Promise<string> {
    const { local, baseUrl } = await this.settings()
    return local ? `the local workspace in ${await dataDir(this.host)}` : requireBaseUrl(baseUrl)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close()
  }
}
