import { selectKey } from '../../config/key.ts'
import { isThisMachine } from '../../config/same-service.ts'
import { localProfile, type SelectionFlags } from '../../config/selection.ts'
import { resolveSettings, type Settings } from '../../config/settings.ts'
import { configFilePath, readConfig, type StoredConfig } from '../../config/stored-file.ts'
import { readTargetFlags } from '../../config/target.ts'
import { listUnknownVariables } from '../../config/variables.ts'
import { UsageError } from '../../errors.ts'
import { requireIrreplaceable } from '../../files/trusted-file.ts'
import type { Host } from '../../host.ts'
import { createHomelessError, findOptionalDataDir } from './find-service.ts'
import type { RunningCommand } from './running-command.ts'

/**
 * @param isNewProfile true if the selected profile need not exist
 * @throws {UsageError} if a setting is invalid
 */
export async function loadSettings(context: RunningCommand, isNewProfile: boolean): Promise<Settings> {
  const { host, flags } = context
  const dir = await findOptionalConfigDir(host)
  let config: StoredConfig | undefined
  const read = () => {
    config ??= readStored(dir, host)
    return config
  }
  const resolve = (servedUrl?: string) =>
    withQuery(resolveSettings(flags, host.env, read, isNewProfile, servedUrl), flags.query)
  const settings = resolve()
  context.addSecret(settings.apiKey?.value)
  if (!config || !mayShareService(settings, config)) return settings
  const { findServingProcess } = await import('../../embedded/running-server.ts')
  const dataDir = await findOptionalDataDir(host)
  const server = dataDir === undefined ? undefined : await findServingProcess(dataDir, host)
  return server ? resolve(server.base_url) : settings
}

export async function readStoredConfig(host: Host): Promise<StoredConfig> {
  return readStored(await findOptionalConfigDir(host), host)
}

/** @throws {UsageError | OutputError} if the settings file is invalid, in use or not writable */
export async function changeStoredConfig(
  context: RunningCommand,
  change: (config: StoredConfig) => StoredConfig,
): Promise<void> {
  const { changeConfig } = await import('../../config/writer.ts')
  const dir = await findConfigDir(context.host)
  const open = await changeConfig(dir, context.host, context.interrupt, change)
  const warning = `warning: other accounts of this machine may be able to read ${configFilePath(dir)}: ${open}`
  if (open) await (await context.printer()).notice(warning)
}

/**
 * @throws {AuthError} if there is no key for the base URL, or the key command fails
 * @throws {UsageError} if the key or the key command is unsafe or invalid
 * @throws {InterruptedError} after a signal
 */
export async function readKey(context: RunningCommand): Promise<string> {
  const settings = await context.settings()
  const key = selectKey(settings)
  if ('value' in key) return key.value
  const file = configFilePath(await findConfigDir(context.host))
  requireIrreplaceable(file, context.host.uid, `the settings file ${file}`)
  const { runKeyCommand } = await import('./key-command.ts')
  return runKeyCommand(key.command, settings.keyCommand?.from ?? '', context)
}

/** Returns true if another profile with protection or an audit log may name the same service. */
function mayShareService({ local, baseUrl }: Settings, { profiles = {} }: StoredConfig): boolean {
  if (!local && !(baseUrl && isThisMachine(baseUrl.value))) return false
  return Object.entries(profiles).some(([name, { base_url = '', protected: isProtected, audit_log }]) => {
    const isOther = local ? isThisMachine(base_url) : name === localProfile
    return isOther && (isProtected === true || audit_log !== undefined)
  })
}

/** Returns the flags that select the service in suggested commands. Ignores an invalid settings file. */
export async function findTarget(host: Host, flags: SelectionFlags): Promise<readonly string[]> {
  const dir = await findOptionalConfigDir(host)
  return readTargetFlags(flags, host.env, () => readStored(dir, host))
}

/** @throws {UsageError} without `MEETROOM_CONFIG_DIR` and a home directory */
export async function findConfigDir(host: Host): Promise<string> {
  const dir = await findOptionalConfigDir(host)
  if (dir === undefined) throw createHomelessError('settings', 'MEETROOM_CONFIG_DIR')
  return dir
}

/** Returns undefined without `MEETROOM_CONFIG_DIR` if this account has no home directory. */
export async function findOptionalConfigDir(host: Host): Promise<string | undefined> {
  return host.env['MEETROOM_CONFIG_DIR'] || (await host.dirs())?.config
}

function readStored(dir: string | undefined, { uid }: Host): StoredConfig {
  return dir === undefined ? {} : readConfig(dir, uid)
}

/** Explains unknown variables `MEETROOM_…`. Returns undefined without such variables. */
export async function explainVariables({ env }: Host): Promise<string | undefined> {
  const unknown = listUnknownVariables(env)
  if (unknown.length === 0) return undefined
  return (await import('../../config/unknown-variables.ts')).explainUnknown(unknown, env)
}

function withQuery(settings: Settings, query: string | undefined): Settings {
  const { value, from } = settings.output
  if (query === undefined || value === 'json' || value === 'tsv') return settings
  if (from === '--output')
    throw new UsageError(`--query cannot be used with the format ${value}, only with json and tsv`)
  return { ...settings, output: { value: 'json', from: '--query' } }
}
