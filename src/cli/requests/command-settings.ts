import type { GlobalFlags } from '../../config/global-flags.ts'
import { resolveSettings, type Settings } from '../../config/settings.ts'
import { configFilePath, readConfig, type StoredConfig } from '../../config/stored-file.ts'
import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'

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

  async dir(): Promise<string> {
    const { host } = this.#deps
    return host.env['MEETROOM_CONFIG_DIR'] || (await host.dirs()).config
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
    this.#settings = withQuery(
      resolveSettings(flags, host.env, () => readConfig(dir, host.uid), this.#newProfile),
      flags.query,
    )
    addSecret(this.#settings.apiKey?.value)
    return this.#settings
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

function withQuery(settings: Settings, query: string | undefined): Settings {
  const { value, from } = settings.output
  if (query === undefined || value === 'json' || value === 'tsv') return settings
  if (from === '--output')
    throw new UsageError(`--query works with the formats json and tsv, not with ${value}`)
  return { ...settings, output: { value: 'json', from: '--query' } }
}
