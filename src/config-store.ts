import { mkdirSync } from 'node:fs'
import { type Profile, readConfig, type StoredConfig } from './config.ts'
import { OutputError } from './errors.ts'
import type { Host } from './host.ts'

/**
 * Changes the settings file with conf: atomically, 0600, in a folder that is 0700 where it is made here.
 * @throws {UsageError} when the present file is broken; nothing is overwritten then
 * @throws {OutputError} when it cannot be written
 */
export async function changeConfig(
  dir: string,
  host: Pick<Host, 'uid'>,
  change: (config: StoredConfig) => StoredConfig,
): Promise<void> {
  const changed = change(readConfig(dir, host.uid))
  const { default: Conf } = await import('conf')
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const store = new Conf<StoredConfig>({
      cwd: dir,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    })
    store.store = changed
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!code) throw error
    throw new OutputError(`the settings cannot be stored in ${dir} (${code})`)
  }
}

/** A change that replaces one profile. */
export function withProfile(config: StoredConfig, name: string, profile: Profile): StoredConfig {
  return { ...config, profiles: { ...config.profiles, [name]: profile } }
}

/** A change that forgets one profile, and stops using it. */
export function withoutProfile(config: StoredConfig, name: string): StoredConfig {
  const { [name]: _, ...profiles } = config.profiles ?? {}
  const { profile, ...rest } = config
  return profile === name || profile === undefined ? { ...rest, profiles } : { ...rest, profile, profiles }
}
