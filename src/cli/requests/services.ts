import type { Route } from '../../api/endpoints.ts'
import type { ConnectionCheck } from '../../api/wire.ts'
import type { AuditTrail } from '../../client/audit-trail.ts'
import type { Client } from '../../client/client.ts'
import { KnownItems } from '../../client/known-items.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { AnyInput } from '../../client/request.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import { selectKey } from '../../config/settings.ts'
import { configFilePath } from '../../config/stored-file.ts'
import { requireIrreplaceable } from '../../files/trusted-file.ts'
import type { Printer } from '../output/printer.ts'
import type { Redact } from '../output/redaction/redaction.ts'
import type { Audit } from './audit/audit.ts'
import { CompletedChanges } from './completed-changes.ts'
import {
  createServerCheck,
  findDataDir,
  findPersistentBaseUrl,
  findService,
  requireBaseUrl,
  requireServer,
} from './find-service.ts'
import {
  type ClientSetup,
  type OpenTransport,
  openClient,
  type Service,
  type ServiceDeps,
} from './service.ts'

interface ServicesDeps
  extends Pick<
    ServiceDeps,
    'host' | 'connect' | 'confirm' | 'openBackup' | 'addSecret' | 'redactKeys' | 'readList'
  > {
  flags: GlobalFlags
  command: string
  interrupt: AbortSignal
  redact: Redact
  settings: () => Promise<ServiceDeps['settings']>
  printer: () => Promise<Printer>
  configDir: () => Promise<string>
}

export class Services {
  readonly #deps: ServicesDeps
  #client: Promise<Client> | undefined
  #key: Promise<string> | undefined
  #audit: Promise<Audit | undefined> | undefined
  readonly #serviceFacts: ServiceFacts
  readonly changes = new CompletedChanges()
  readonly #closers: (() => Promise<void> | void)[] = []

  constructor(deps: ServicesDeps) {
    this.#deps = deps
    this.#serviceFacts = { allowsIncomplete: deps.flags.allowIncomplete === true }
  }

  /** Remembers the items that are read, to prove writes. */
  rememberItems(): void {
    this.#serviceFacts.known ??= new KnownItems()
  }

  /** Decides whether the command gets only whole lists, because it may write. */
  setMayWrite(mayWrite: boolean): void {
    this.#serviceFacts.mayWrite = mayWrite
  }

  client(setup?: Partial<ClientSetup>): Promise<Client> {
    if (setup) return this.#open(setup)
    this.#client ??= this.#open({})
    return this.#client
  }

  async #open(setup: Partial<ClientSetup>): Promise<Client> {
    const deps = await this.#createDeps()
    const { interrupt } = this.#deps
    return openClient(
      deps,
      { interrupt, serviceFacts: this.#serviceFacts, ...setup },
      await findService(deps),
    )
  }

  /**
   * Returns a client for a running server. Opening the local workspace instead would keep its server from starting.
   * @throws {UsageError} when the local workspace is not served
   */
  async persistentClient(setup: Partial<ClientSetup>): Promise<Client> {
    const { local } = await this.#deps.settings()
    if (!local) return this.client(setup)
    const { base_url, apiKey } = await requireServer(this.#deps.host)
    return this.clientFor(base_url, apiKey, setup, await this.serverCheck(base_url))
  }

  async clientFor(
    baseUrl: string,
    apiKey: string,
    setup: Partial<ClientSetup> = {},
    isTrusted?: ConnectionCheck,
  ): Promise<Client> {
    const { host, connect, interrupt } = this.#deps
    const service: Service = {
      baseUrl,
      open: async (connections) => ({
        transport: await connect(baseUrl, host, connections, isTrusted),
        apiKey,
      }),
    }
    return openClient(await this.#createDeps(), { interrupt, ...setup }, service)
  }

  /** Returns the check of a new connection to the server of a local workspace; undefined for any other service. */
  async serverCheck(baseUrl: string): Promise<ConnectionCheck | undefined> {
    return createServerCheck(this.#deps.host, await this.#deps.settings(), baseUrl)
  }

  transportTo(url: string): Promise<OpenTransport> {
    const { host, connect } = this.#deps
    return connect(url, host)
  }

  /**
   * @param need what the command needs of the server, for the error
   * @throws {UsageError} when the local workspace is not served
   */
  async persistentBaseUrl(need?: string): Promise<string> {
    return findPersistentBaseUrl(this.#deps.host, await this.#deps.settings(), need)
  }

  async describeTarget(): Promise<string> {
    const settings = await this.#deps.settings()
    return settings.local
      ? `the local workspace in ${await findDataDir(this.#deps.host)}`
      : requireBaseUrl(settings)
  }

  /** Describes the service for prompts, as in `at https://host (profile staging)`. */
  async describePlace(): Promise<string> {
    const { local, profile } = await this.#deps.settings()
    const target = await this.describeTarget()
    return local ? `in ${target}` : `at ${new URL(target).origin} (profile ${profile.value})`
  }

  /** @throws {AuthError} when no key is configured */
  key(): Promise<string> {
    this.#key ??= this.#readKey()
    return this.#key
  }

  async #readKey(): Promise<string> {
    const { host, configDir, settings } = this.#deps
    const found = await settings()
    const key = selectKey(found)
    if ('value' in key) return key.value
    const file = configFilePath(await configDir())
    requireIrreplaceable(file, host.uid, `the settings file ${file}`)
    return this.runKeyCommand(key.command, found.keyCommand?.from ?? '')
  }

  async runKeyCommand(command: string, from: string): Promise<string> {
    const { runKeyCommand } = await import('./key-command.ts')
    const { host, interrupt, addSecret } = this.#deps
    return runKeyCommand(command, from, { host, interrupt, addSecret })
  }

  /** Creates the audit trail of a change that is made without a client; undefined when auditing is off. */
  async trail(endpoint: Route, input: AnyInput): Promise<AuditTrail | undefined> {
    const audit = await this.#openAudit()
    if (!audit) return undefined
    const { local } = await this.#deps.settings()
    const place = local ? await findDataDir(this.#deps.host) : new URL(await this.persistentBaseUrl()).origin
    return audit.trail(place, endpoint, input)
  }

  #openAudit(): Promise<Audit | undefined> {
    const { host, flags, command, redact, settings, printer } = this.#deps
    this.#audit ??= settings().then(async ({ auditLog, profile }) => {
      if (!auditLog || !flags.audit) return undefined
      const { openAudit } = await import('./audit/audit.ts')
      const notice = async (text: string) => (await printer()).notice(text)
      const audit = await openAudit(auditLog.value, { profile: profile.value, command, host, redact, notice })
      this.closeLater(() => audit.close())
      return audit
    })
    return this.#audit
  }

  async #createDeps(): Promise<ServiceDeps> {
    const { settings, printer, ...deps } = this.#deps
    return {
      ...deps,
      settings: await settings(),
      printer: await printer(),
      closeLater: (close) => this.closeLater(close),
      key: () => this.key(),
      audit: await this.#openAudit(),
      changes: this.changes,
    }
  }

  closeLater(close: () => Promise<void> | void): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close()
  }
}
