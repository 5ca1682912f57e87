import type { GlobalFlags } from '../../config/global-flags.ts'
import { resolveSettings, type Settings } from '../../config/settings.ts'
import { configFile, readConfig, type StoredConfig } from '../../config/stored-file.ts'
import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'

/** Whom settings are for. */
interface Owner {
  host: Host
  flags: GlobalFlags
  interrupt: AbortSignal
  /** Takes note of what must never be shown. */
  keepSecret: (secret: string | undefined) => void
  notice: (text: string) => Promise<void>
}

/** The settings of a command, and the file that they are stored in. */
export class CommandSettings {
  readonly #owner: Owner
  #settings: Settings | undefined
  #newProfile = false

  constructor(owner: Owner) {
    this.#owner = owner
  }

  /** Folder of the settings file. */
  async dir(): Promise<string> {
    const { host } = this.#owner
    return host.env['MEETROOM_CONFIG_DIR'] || (await host.dirs()).config
  }

  /** The profile that is named need not exist: the command is about to make it. */
  expectNewProfile(): void {
    this.#newProfile = true
  }

  /** The settings, once they have been asked for. */
  get known(): Settings | undefined {
    return this.#settings
  }

  /** @throws {UsageError} when flags, environment or settings file hold something unusable */
  async settings(): Promise<Settings> {
    if (this.#settings) return this.#settings
    const { host, flags, keepSecret } = this.#owner
    const dir = await this.dir()
    this.#settings = withQuery(
      resolveSettings(flags, host.env, () => readConfig(dir, host.uid), this.#newProfile),
      flags.query,
    )
    keepSecret(this.#settings.apiKey?.value)
    return this.#settings
  }

  async stored(): Promise<StoredConfig> {
    return readConfig(await this.dir(), this.#owner.host.uid)
  }

  /**
   * Changes the settings file, by what is in it then.
   * @throws {UsageError | OutputError} when it is broken or cannot be written; it stays as it is then
   */
  async change(change: (config: StoredConfig) => StoredConfig): Promise<void> {
    const { changeConfig } = await import('../../config/writer.ts')
    const { host, interrupt, notice } = this.#owner
    const dir = await this.dir()
    const open = await changeConfig(dir, host, interrupt, change)
    if (open) await notice(`warning: others may be able to read ${configFile(dir)}: ${open}`)
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
