import type { Route } from '../../api/endpoints.ts'
import type { AuditTrail } from '../../client/audit-trail.ts'
import type { Client } from '../../client/client.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { AnyInput } from '../../client/request.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import { keyFor } from '../../config/settings.ts'
import { configFile } from '../../config/stored-file.ts'
import { requireUnwritable } from '../../files/trusted-file.ts'
import type { Printer } from '../output/printer.ts'
import type { Redact } from '../output/redaction/redact.ts'
import type { Audit } from './audit/audit.ts'
import { dataDir, findService, liveBaseUrl, requireBaseUrl, requireOwner } from './find-service.ts'
import {
  type ClientSetup,
  type OpenTransport,
  openClient,
  type Service,
  type ServiceDeps,
} from './service.ts'

/** Whom services are for. */
interface Owner
  extends Pick<ServiceDeps, 'host' | 'connect' | 'confirm' | 'saver' | 'keepSecret' | 'redactKeys'> {
  flags: GlobalFlags
  /** The words of the command: `users delete`. */
  command: string
  /** Aborts what is under way. */
  interrupt: AbortSignal
  redact: Redact
  settings: () => Promise<ServiceDeps['settings']>
  printer: () => Promise<Printer>
  /** Folder of the settings file. */
  configDir: () => Promise<string>
}

/** How a command reaches services: their clients, the keys for them, and the record of what is changed there. */
export class Services {
  readonly #owner: Owner
  #client: Promise<Client> | undefined
  #key: Promise<string> | undefined
  #audit: Promise<Audit | undefined> | undefined
  /** What the clients of this run have found out about the service. */
  readonly #seen: ServiceFacts = {}
  readonly #closers: (() => Promise<void> | void)[] = []

  constructor(owner: Owner) {
    this.#owner = owner
  }

  /** A client of the service that the settings name. Made once where nothing special is asked of it. */
  client(setup?: Partial<ClientSetup>): Promise<Client> {
    if (setup) return this.#open(setup)
    this.#client ??= this.#open({})
    return this.#client
  }

  async #open(setup: Partial<ClientSetup>): Promise<Client> {
    const around = await this.#surroundings()
    const { interrupt } = this.#owner
    return openClient(around, { interrupt, seen: this.#seen, ...setup }, await findService(around))
  }

  /**
   * A client for what stays. It never opens the local workspace itself: nobody could serve it then.
   * @throws {UsageError} when the local workspace is not served
   */
  async liveClient(setup: Partial<ClientSetup>): Promise<Client> {
    const { local } = await this.#owner.settings()
    if (!local) return this.client(setup)
    const { base_url, apiKey } = await requireOwner(this.#owner.host)
    return this.clientFor(base_url, apiKey, setup)
  }

  /** A client of any service with any key. */
  async clientFor(baseUrl: string, apiKey: string, setup: Partial<ClientSetup> = {}): Promise<Client> {
    const { host, connect, interrupt } = this.#owner
    const service: Service = {
      baseUrl,
      open: async (connections) => ({ transport: await connect(baseUrl, host, connections), apiKey }),
    }
    return openClient(await this.#surroundings(), { interrupt, ...setup }, service)
  }

  /** A way to send requests anywhere. The caller closes it. */
  transportTo(url: string): Promise<OpenTransport> {
    const { host, connect } = this.#owner
    return connect(url, host)
  }

  /**
   * Base URL of the service for what needs a connection that stays.
   * @throws {UsageError} when the local workspace is not served
   */
  async liveBaseUrl(): Promise<string> {
    return liveBaseUrl(this.#owner.host, await this.#owner.settings())
  }

  /** What is talked to, for people and journals: a base URL, or the folder of the embedded workspace. */
  async target(): Promise<string> {
    const settings = await this.#owner.settings()
    return settings.local
      ? `the local workspace in ${await dataDir(this.#owner.host)}`
      : requireBaseUrl(settings)
  }

  /** Where changes are made, for questions: `at https://host (profile staging)`. */
  async place(): Promise<string> {
    const { local, profile } = await this.#owner.settings()
    const target = await this.target()
    return local ? `in ${target}` : `at ${new URL(target).origin} (profile ${profile.value})`
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
    const { host, configDir, settings } = this.#owner
    const found = await settings()
    const key = keyFor(found)
    if ('value' in key) return key.value
    const file = configFile(await configDir())
    requireUnwritable(file, host.uid, `the settings file ${file}`)
    return this.runKeyCommand(key.command, found.keyCommand?.from ?? '')
  }

  /** The key that a command prints. */
  async runKeyCommand(command: string, from: string): Promise<string> {
    const { runKeyCommand } = await import('./key-command.ts')
    const { host, interrupt, keepSecret } = this.#owner
    return runKeyCommand(command, from, { host, interrupt, keepSecret })
  }

  /** The record of a change that is no request of a client; undefined where there is no audit log. */
  async trail(endpoint: Route, input: AnyInput): Promise<AuditTrail | undefined> {
    const audit = await this.#audited()
    if (!audit) return undefined
    const { local } = await this.#owner.settings()
    const place = local ? await dataDir(this.#owner.host) : new URL(await this.liveBaseUrl()).origin
    return audit.trail(place, endpoint, input)
  }

  /** Puts changes on record, where the settings name a file for that. */
  #audited(): Promise<Audit | undefined> {
    const { host, flags, command, redact, settings, printer } = this.#owner
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

  async #surroundings(): Promise<ServiceDeps> {
    const { settings, printer, ...owner } = this.#owner
    return {
      ...owner,
      settings: await settings(),
      printer: await printer(),
      closeLater: (close) => this.closeLater(close),
      key: () => this.key(),
      audit: await this.#audited(),
    }
  }

  /** Keeps something to be closed when the command ends. */
  closeLater(close: () => Promise<void> | void): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close()
  }
}
