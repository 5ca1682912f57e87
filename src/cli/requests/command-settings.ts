import type { GlobalFlags } from '../../config/global-flags.ts'
import { isThisMachine } from '../../config/same-service.ts'
import { localProfile, type SelectionFlags } from '../../config/selection.ts'
import { resolveSettings, type Settings } from '../../config/settings.ts'
import { configFilePath, readConfig, type StoredConfig } from '../../config/stored-file.ts'
import { readTargetFlags } from '../../config/target.ts'
import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { findDataDir } from './find-service.ts'

interface SettingsDeps {
  host: Host
  flags: GlobalFlags
  interrupt: AbortSignal
  addSecret: (secret: string | undefined) => void
  notice: (text: string) => Promise<void>
}

export class CommandSettings {
  readonly #deps: SettingsDeps
  #settings: Settings | undefined
  #newProfile = false

  constructor(deps: SettingsDeps) {
    this.#deps = deps
  }

  dir(): Promise<string> {
    return findConfigDir(this.#deps.host)
  }

  expectNewProfile(): void {
    this.#newProfile = true
  }

  get loaded(): Settings | undefined {
    return this.#settings
  }

  /** @throws {UsageError} when a flag, an environment variable or the settings file is invalid */
  async settings(): Promise<Settings> {
    if (this.#settings) return this.#settings
    const { host, flags, addSecret } = this.#deps
    const dir = await this.dir()
    let config: StoredConfig | undefined
    const read = () => {
      config ??= readConfig(dir, host.uid)
      return config
    }
    const resolve = (servedUrl?: string) =>
      withQuery(resolveSettings(flags, host.env, read, this.#newProfile, servedUrl), flags.query)
    let settings = resolve()
    addSecret(settings.apiKey?.value)
    if (config && mayShareService(settings, config)) {
      const { findServingProcess } = await import('../../embedded/running-server.ts')
      const server = await findServingProcess(await findDataDir(host), host)
      if (server) settings = resolve(server.base_url)
    }
    this.#settings = settings
    return settings
  }

  async stored(): Promise<StoredConfig> {
    return readConfig(await this.dir(), this.#deps.host.uid)
  }

  /** @throws {UsageError | OutputError} when the file is invalid or cannot be written; the file is then unchanged */
  async change(change: (config: StoredConfig) => StoredConfig): Promise<void> {
    const { changeConfig } = await import('../../config/writer.ts')
    const { host, interrupt, notice } = this.#deps
    const dir = await this.dir()
    const open = await changeConfig(dir, host, interrupt, change)
    if (open) await notice(`warning: others may be able to read ${configFilePath(dir)}: ${open}`)
  }
}

/**
 * Returns true if a profile of the local workspace could apply to a run at its base URL, or a profile at its base URL
 * to a run of the local workspace: both are the same service while the workspace is served.
 */
function mayShareService({ local, baseUrl }: Settings, { profiles = {} }: StoredConfig): boolean {
  if (!local && !(baseUrl && isThisMachine(baseUrl.value))) return false
  return Object.entries(profiles).some(([name, { base_url = '', protected: isProtected, audit_log }]) => {
    const isOther = local ? isThisMachine(base_url) : name === localProfile
    return isOther && (isProtected === true || audit_log !== undefined)
  })
}

/** Returns the flags that select the service of a command line, for commands to paste. Never fails. */
export async function findTarget(host: Host, flags: SelectionFlags): Promise<readonly string[]> {
  // A user without a home directory has no settings.
  const dir = await findConfigDir(host).catch(() => undefined)
  return readTargetFlags(flags, host.env, () => (dir === undefined ? {} : readConfig(dir, host.uid)))
}

async function findConfigDir(host: Host): Promise<string> {
  return host.env['MEETROOM_CONFIG_DIR'] || (await host.dirs()).config
}

function withQuery(settings: Settings, query: string | undefined): Settings {
  const { value, from } = settings.output
  if (query === undefined || value === 'json' || value === 'tsv') return settings
  if (from === '--output')
    throw new UsageError(`--query works with the formats json and tsv, not with ${value}`)
  return { ...settings, output: { value: 'json', from: '--query' } }
}
