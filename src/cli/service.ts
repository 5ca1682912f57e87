import { type Client, createClient } from '../api/client.ts'
import { defined } from '../api/defined.ts'
import { isDestructive } from '../api/destructive.ts'
import type { Route } from '../api/endpoints.ts'
import { isLoopback } from '../api/loopback.ts'
import type { AnyInput } from '../api/request.ts'
import type { Policy, Retry } from '../api/retry.ts'
import type { Seen } from '../api/standing.ts'
import type { Trail } from '../api/trail.ts'
import type { Transport, WireRequest } from '../api/wire.ts'
import { type Settings, shortestKey } from '../config.ts'
import { isClear } from '../config-values.ts'
import { UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { OwnerWithKey } from '../local/owner.ts'
import { version } from '../version.ts'
import type { Change } from './confirm.ts'
import { requireHandles } from './handles.ts'
import type { Printer } from './output/printer.ts'
import type { Redact } from './output/redact.ts'
import { formatCurl, formatRequest, maskedRequest } from './output/request.ts'
import { maskedText } from './output/secrets.ts'
import { visibleJson } from './output/visible.ts'
import type { Saver } from './saving/saving.ts'
import { withoutKeys } from './without-keys.ts'

/** A transport that may hold something open. */
export type OpenTransport = Transport & { close?(): Promise<void> | void }

/** How the program reaches a service over the network. Tests put the embedded service here. */
export type Connect = (baseUrl: string, host: Host, connections?: number) => Promise<OpenTransport>

/** Stands for a local workspace that is not being served. It names no port: that may be somebody else’s. */
const localBaseUrl = 'http://local-workspace.invalid/v1'

/** Thrown instead of sending a request that `--dry-run` or `--curl` has shown. The command ends there, and well. */
export class Shown extends Error {}

/** What a request answers, or undefined when it was shown instead of sent. */
export async function unlessShown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Shown) return undefined
    throw error
  }
}

/** The flags that decide whether a request is sent. */
export interface SendFlags {
  dryRun?: boolean
  curl?: boolean
  allowWrite?: boolean
  allProfiles?: boolean
}

/** @param place the origin of the service, or the folder of the local workspace */
export type Audit = (place: string, endpoint: Route, input: AnyInput) => Trail

/** What a service is opened with. */
export interface Surroundings {
  host: Host
  flags: SendFlags & { verbose?: boolean }
  settings: Settings
  printer: Printer
  connect: Connect
  /** Keeps something to be closed when the command ends. */
  closeLater: (close: () => Promise<void> | void) => void
  /** The key that may be sent to the service. */
  key: () => Promise<string>
  /** Takes note of what must never be shown. */
  keepSecret: (secret: string) => void
  redactKeys: Redact
  /** Puts a change on record; undefined where there is no audit log. */
  audit: Audit | undefined
  /** Asks before a change, unless the command has asked already. */
  confirm: (change: Change) => Promise<void>
  /** What keeps what is deleted; undefined where nobody asks for that. */
  saver: () => Promise<Saver | undefined>
}

/** What a client does differently from the default. */
export interface ClientSetup {
  /** Maximum number of connections. */
  connections?: number
  /** Aborts what is under way. */
  interrupt: AbortSignal
  /** Aborted: what has not been sent is not sent any more. */
  withdrawn?: AbortSignal
  /** What other clients of the run have found out about the service. */
  seen?: Seen
  /** Deadline of a call that begins now, in milliseconds, instead of the one in the settings. */
  timeoutMs?: () => number
  /** Maximum number of retries of a failed call, instead of the one in the settings. */
  retries?: number
  /** Told before each repetition, instead of the user. */
  onRetry?: Policy['onRetry']
  /** The caller asks for confirmation itself, where it is needed. */
  confirmed?: boolean
  /** Reads are sent, with `--curl` too. */
  lookup?: boolean
}

/** A service to talk to. Opening it may open the workspace or a connection, so it is left to the first request. */
export interface Service {
  baseUrl: string
  /** Folder of the local workspace. */
  dir?: string
  open(connections?: number): Promise<{ transport: OpenTransport; apiKey: string }>
}

/**
 * The only place that makes a client, so that every request of every command passes `beforeSend`.
 * @param service where the requests go
 */
export function openClient(around: Surroundings, setup: ClientSetup, service: Service): Client {
  const { host, flags, settings, printer } = around
  const { timeout, retries } = settings
  const { audit } = around
  const place = () => service.dir ?? new URL(service.baseUrl).origin
  return createClient({
    baseUrl: service.baseUrl,
    open: async () => {
      const { transport, apiKey } = await service.open(setup.connections)
      around.keepSecret(apiKey)
      around.closeLater(() => transport.close?.())
      return { transport: withoutKeys(transport, around.redactKeys), apiKey }
    },
    beforeSend: beforeSend(around, service.baseUrl, setup),
    onAccepted: warnOfAnswers(printer),
    ...(audit ? { audit: (endpoint, input) => audit(place(), endpoint, input) } : {}),
    ...defined({ seen: setup.seen }),
    userAgent: `meetroom/${version} (node ${host.nodeVersion}; ${host.platform})`,
    interrupt: setup.interrupt,
    ...defined({ withdrawn: setup.withdrawn }),
    policy: {
      get timeoutMs() {
        return setup.timeoutMs?.() ?? timeout.value * 1000
      },
      retries: setup.retries ?? retries.value,
      timing: host,
      onRetry: setup.onRetry ?? ((retry) => void printer.notice(retryWords(retry))),
    },
    ...(flags.verbose
      ? {
          onExchange: ({ method, url, status }) =>
            void printer.notice(maskedText(`${method} ${url} → ${status}`)),
        }
      : {}),
  })
}

/** What is about to be tried again, for people. */
export function retryWords({ reason, waitMs }: Retry): string {
  return `${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`
}

/** Warns of answers that cannot be read to writes that were accepted: of many that are alike, once. */
function warnOfAnswers(printer: Printer): (problem: string) => void {
  const told = new Set<string>()
  return (problem) => {
    if (told.has(problem)) return
    told.add(problem)
    void printer.notice(`warning: the service accepted the change, but its answer cannot be read: ${problem}`)
  }
}

/**
 * Decides for every request: `--curl` sends nothing but what finds a room by its name, `--dry-run` and a protected profile
 * send no write, what cannot be undone needs confirmation, and what is deleted is saved first where that is asked for, however it
 * is sent.
 */
function beforeSend(
  { flags, settings, printer, confirm, saver }: Surroundings,
  baseUrl: string,
  { confirmed = false, lookup = false }: Pick<ClientSetup, 'confirmed' | 'lookup'>,
) {
  async function show(request: WireRequest): Promise<never> {
    const shown = printer.options.showTokens ? request : maskedRequest(request)
    const text = flags.curl ? formatCurl(shown) : formatRequest(shown, printer.options.format)
    await printer.data(text, visibleJson)
    throw new Shown()
  }
  function ask(request: WireRequest): Promise<void> {
    const what = `${request.method} ${new URL(request.url).pathname}`
    return confirm({ doing: what, describe: async () => `Send ${what}` })
  }
  async function saved({ url }: WireRequest, asked: Promise<void> | undefined): Promise<void> {
    await asked
    const keeper = await saver()
    await keeper?.beforeDelete(url.slice(baseUrl.length))
  }
  return (request: WireRequest): Promise<void> | undefined => {
    const isRead = request.method === 'GET'
    if (flags.curl && !(lookup && isRead)) return show(request)
    if (isRead) return undefined
    if (flags.allProfiles) throw new UsageError('--all-profiles only reads: nothing is changed')
    if (flags.dryRun) return show(request)
    requireWritable(flags, settings)
    const asked = confirmed || !isDestructive(request) ? undefined : ask(request)
    return request.method === 'DELETE' ? saved(request, asked) : asked
  }
}

/**
 * Whether the profile lets anything be changed. What is only shown changes nothing.
 * @throws {UsageError} when it is protected, or nobody can tell, and the command line has no --allow-write
 */
export function requireWritable({ curl, dryRun, allowWrite }: SendFlags, settings: Settings): void {
  const { profile, protectedBy, unread } = settings
  if (curl || dryRun || allowWrite) return
  if (unread)
    throw new UsageError(`${unread.message}, and it may protect the local workspace`, {
      hint: 'fix it, or pass --allow-write if you mean it',
      cause: unread,
    })
  if (protectedBy === undefined) return
  const what =
    protectedBy === profile.value
      ? `the profile ${protectedBy} is protected against changes`
      : `the profile ${protectedBy} protects this service: nothing is changed there`
  throw new UsageError(what, { hint: 'pass --allow-write if you mean it' })
}

/**
 * The service that the settings name: the local workspace, or one over the network.
 * @throws {UsageError} when they name none
 */
export async function findService(around: Surroundings): Promise<Service> {
  const { host, settings, printer } = around
  if (settings.local) return findLocal(around)
  const baseUrl = requireBaseUrl(settings)
  return {
    baseUrl,
    async open(connections) {
      const apiKey = await around.key()
      if (apiKey.length < shortestKey)
        await printer.notice(
          `warning: the API key (${(settings.apiKey ?? settings.keyCommand)?.from}) is so short that it cannot be kept out of what is shown`,
        )
      const url = new URL(baseUrl)
      if (settings.apiKeyOrigin === undefined && isClear(url))
        await printer.notice(`warning: the API key is sent unencrypted to ${url.host}; use https`)
      return { transport: await around.connect(baseUrl, host, connections), apiKey }
    },
  }
}

async function findLocal({ host, connect, printer }: Surroundings): Promise<Service> {
  requireHandles()
  const dir = await dataDir(host)
  const { findOwner } = await import('../local/owner.ts')
  const owner = await findOwner(dir, host.quietly)
  return {
    // One owner at a time: while the workspace is being served, other commands go through the service.
    baseUrl: owner?.base_url ?? localBaseUrl,
    dir,
    async open(connections) {
      const { reachWorkspace } = await import('../local/reach.ts')
      return reachWorkspace({
        dir,
        owner,
        host,
        connect: (baseUrl) => connect(baseUrl, host, connections),
        notice: (text) => void printer.notice(text),
      })
    },
  }
}

/**
 * Base URL of the service for what needs a connection that stays.
 * @throws {UsageError} when the local workspace is not served
 */
export async function liveBaseUrl(host: Host, settings: Settings): Promise<string> {
  return settings.local ? (await requireOwner(host)).base_url : requireBaseUrl(settings)
}

/**
 * The process that serves the local workspace.
 * @throws {UsageError} when there is none
 */
export async function requireOwner(host: Host): Promise<OwnerWithKey> {
  const { findOwner } = await import('../local/owner.ts')
  const owner = await findOwner(await dataDir(host), host.quietly)
  if (owner) return owner
  throw new UsageError('the local workspace is not being served, so it has no sessions', {
    hint: 'start it in another terminal with: meetroom serve',
  })
}

/** @throws {UsageError} when nothing names a service; it lists the profiles that do */
export function requireBaseUrl({ baseUrl, profiles }: Settings): string {
  if (baseUrl) return baseUrl.value
  if (profiles.length > 0)
    throw new UsageError('no service is configured for this profile', {
      hint: `profiles with a service: ${profiles.join(', ')}; pass --profile NAME, or switch with: meetroom profiles use NAME`,
    })
  throw new UsageError('no service is configured', {
    hint: 'log in with: meetroom auth login --base-url URL, or set MEETROOM_BASE_URL, or try it without a service: meetroom --local …',
  })
}

export const connectOverNetwork: Connect = async (baseUrl, host, connections) => {
  const { networkTransport } = await import('../api/transport.ts')
  const { origin, hostname } = new URL(baseUrl)
  return networkTransport({
    origin,
    env: host.env,
    direct: isLoopback(hostname),
    ...defined({ connections }),
  })
}

/** Folder of the embedded workspace. */
export async function dataDir(host: Host): Promise<string> {
  return host.env['MEETROOM_DATA_DIR'] || (await host.dirs()).data
}
