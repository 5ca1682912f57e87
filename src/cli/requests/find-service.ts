import { resolve } from 'node:path'
import { omitUndefined } from '../../api/defined.ts'
import { isLoopback } from '../../api/loopback.ts'
import type { ConnectionCheck } from '../../api/wire.ts'
import type { Client } from '../../client/client.ts'
import { adviseOnVariable } from '../../config/key.ts'
import { minKeyLength, type Settings } from '../../config/settings.ts'
import { isClear } from '../../config/values.ts'
import type { ServingProcessWithKey } from '../../embedded/running-server.ts'
import { suggest, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Printer } from '../output/printer.ts'
import type { Connect, RunningCommand } from './running-command.ts'
import { type ClientSetup, openClient, type Service } from './service.ts'

/** Base URL of an unserved local workspace. A real host could belong to another program. */
const unservedBaseUrl = 'http://local-workspace.invalid/v1'

/**
 * Returns `local` for the local workspace, because its base URL changes.
 * @throws {UsageError} if no service is configured
 */
export const nameService = (settings: Settings): string =>
  settings.local ? 'local' : requireBaseUrl(settings)

/**
 * Returns the name of the service in the audit log.
 * @throws {UsageError} for example if no service is configured
 */
export async function findOrigin(context: RunningCommand): Promise<string> {
  const settings = await context.settings()
  return settings.local ? findDataDir(context.host) : new URL(requireBaseUrl(settings)).origin
}

/** @throws {UsageError} for example if no service is configured */
export async function findService(context: RunningCommand): Promise<Service> {
  const settings = await context.settings()
  const printer = await context.printer()
  if (settings.local) return findLocal(context, printer)
  const baseUrl = requireBaseUrl(settings)
  return {
    baseUrl,
    keyHint: adviseOnVariable(settings),
    async open(connections) {
      const apiKey = await context.key()
      const problem =
        apiKey.length < minKeyLength ? 'is too short to be masked in output' : describeUnlikelyKey(apiKey)
      if (problem !== undefined)
        await printer.notice(
          `warning: the API key (${(settings.apiKey ?? settings.keyCommand)?.from}) ${problem}`,
        )
      const url = new URL(baseUrl)
      if (settings.apiKeyOrigin === undefined && isClear(url))
        await printer.notice(`warning: the API key is sent unencrypted to ${url.host}; use https`)
      return { transport: await connect(context, baseUrl, connections), apiKey }
    },
  }
}

function describeUnlikelyKey(key: string): string | undefined {
  if (/^(["']).*\1$/.test(key)) return 'is in quotes, which are sent with the key'
  return /^[@~./\w].*\.(txt|key|env|json)$/.test(key)
    ? 'looks like a file name; pass the contents of the file'
    : undefined
}

async function connect(context: RunningCommand, baseUrl: string, connections?: number) {
  return context.connect(baseUrl, context.host, connections, await createServerCheck(context, baseUrl))
}

async function findLocal(context: RunningCommand, printer: Printer): Promise<Service> {
  const { host } = context
  const { requireHandles } = await import('../../files/file-handles.ts')
  requireHandles()
  const dir = await findDataDir(host)
  const { findServingProcess } = await import('../../embedded/running-server.ts')
  const owner = await findServingProcess(dir, host)
  return {
    // Only one process can open the workspace, so commands use a running server.
    baseUrl: owner?.base_url ?? unservedBaseUrl,
    dir,
    async open(connections) {
      const { connectWorkspace } = await import('../../embedded/connect-workspace.ts')
      return connectWorkspace({
        dir,
        servingProcess: owner,
        host,
        connect: (baseUrl) => connect(context, baseUrl, connections),
        notice: (text) => void printer.notice(text),
      })
    },
  }
}

/**
 * Creates the check of a new connection to the server of a local workspace. Another user could listen on the
 * port of a stopped server and receive the API key.
 */
export async function createServerCheck(
  context: RunningCommand,
  baseUrl: string,
): Promise<ConnectionCheck | undefined> {
  const { host } = context
  const { local, dataDir } = await context.settings()
  const dir = local ? await findDataDir(host) : dataDir
  if (dir === undefined) return undefined
  const { isServedAt } = await import('../../embedded/running-server.ts')
  return () => isServedAt(dir, baseUrl, host)
}

/**
 * Never opens the local workspace, because an open workspace would keep its server from starting.
 * @throws {UsageError} if the local workspace is not served, or no service is configured
 */
export async function openPersistentClient(context: RunningCommand, setup: ClientSetup): Promise<Client> {
  const { local } = await context.settings()
  if (!local) return openClient(context, setup, await findService(context))
  const { base_url, apiKey } = await requireServer(context.host)
  return openClientAt(context, base_url, apiKey, setup, await createServerCheck(context, base_url))
}

export function openClientAt(
  context: RunningCommand,
  baseUrl: string,
  apiKey: string,
  setup: ClientSetup = {},
  isTrusted?: ConnectionCheck,
): Promise<Client> {
  return openClient(context, setup, {
    baseUrl,
    open: async (connections) => ({
      transport: await context.connect(baseUrl, context.host, connections, isTrusted),
      apiKey,
    }),
  })
}

/**
 * @param need required feature of the server, for the error
 * @throws {UsageError} if the local workspace is not served, or no service is configured
 */
export async function findPersistentBaseUrl(context: RunningCommand, need?: string): Promise<string> {
  const settings = await context.settings()
  return settings.local ? (await requireServer(context.host, need)).base_url : requireBaseUrl(settings)
}

export async function describeTarget(context: RunningCommand): Promise<string> {
  const settings = await context.settings()
  return settings.local
    ? `the local workspace in ${await findDataDir(context.host)}`
    : requireBaseUrl(settings)
}

export async function describePlace(context: RunningCommand): Promise<string> {
  const { local, profile } = await context.settings()
  const target = await describeTarget(context)
  return local ? `in ${target}` : `at ${new URL(target).origin} (profile ${profile.value})`
}

async function requireServer(host: Host, need = 'online sessions'): Promise<ServingProcessWithKey> {
  const { findServingProcess } = await import('../../embedded/running-server.ts')
  const owner = await findServingProcess(await findDataDir(host), host)
  if (owner) return owner
  throw new UsageError(`${need} need a served local workspace`, {
    hint: ['start it in another terminal with: ', suggest(['serve'])],
  })
}

/** @throws {UsageError} if no base URL is configured */
export function requireBaseUrl({ baseUrl, profiles }: Settings): string {
  if (baseUrl) return baseUrl.value
  if (profiles.length > 0)
    throw new UsageError('no service is configured for this profile', {
      hint: [
        `profiles with a service: ${profiles.join(', ')}; switch with: `,
        suggest(['profiles', 'use', profiles[0] ?? '']),
      ],
    })
  throw new UsageError('no service is configured', {
    hint: [
      'log in with: ',
      suggest(['auth', 'login']),
      ', or set MEETROOM_BASE_URL, or use the local workspace: ',
      suggest(['rooms', 'list', '--local']),
    ],
  })
}

export const connectOverNetwork: Connect = async (baseUrl, host, connections, isTrusted) => {
  const { createNetworkTransport } = await import('../../client/http/transport.ts')
  const { origin, hostname } = new URL(baseUrl)
  return createNetworkTransport({
    origin,
    env: host.env,
    direct: isLoopback(hostname),
    ...omitUndefined({ connections, isTrusted }),
  })
}

/**
 * @param given value of `--data-dir`
 * @throws {UsageError} if no directory is known
 */
export async function findDataDir(host: Host, given?: string): Promise<string> {
  if (given !== undefined) return resolve(host.cwd, given)
  const dir = await findOptionalDataDir(host)
  if (dir === undefined) throw createHomelessError('data', 'MEETROOM_DATA_DIR')
  return dir
}

/** Returns undefined without `MEETROOM_DATA_DIR` if this account has no home directory. */
export async function findOptionalDataDir(host: Host): Promise<string | undefined> {
  return host.env['MEETROOM_DATA_DIR'] || (await host.dirs())?.data
}

export function createHomelessError(what: string, variable: string): UsageError {
  return new UsageError(`there is no directory for ${what}, because this account has no home directory`, {
    hint: `choose a directory with ${variable}, or set HOME`,
  })
}
