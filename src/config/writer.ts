import { rm } from 'node:fs/promises'
import { OutputError, UsageError } from '../errors.ts'
import { toStorageError } from '../files/file-errors.ts'
import { takeLock } from '../files/file-lock.ts'
import { makeDirectory } from '../files/make-directory.ts'
import type { Host } from '../host.ts'
import { minKeyLength } from './settings.ts'
import { configFilePath, type Key, type Profile, readConfig, type StoredConfig } from './stored-file.ts'

const lockTimeoutMs = 5000
const pauseMs = 25

type Machine = Pick<Host, 'uid' | 'pid' | 'isAlive' | 'now' | 'sleep' | 'random' | 'platform' | 'env'>

/**
 * Changes the settings file atomically, while the file is locked.
 * @returns the reason why other users may be able to read the file on Windows, if any
 * @throws {OutputError} if the file cannot be written or stays locked, otherwise the error of `readConfig`
 */
export async function changeConfig(
  dir: string,
  host: Machine,
  interrupt: AbortSignal,
  change: (config: StoredConfig) => StoredConfig,
): Promise<string | undefined> {
  const { default: Conf } = await import('conf')
  try {
    if (makeDirectory(dir)) await keepPrivate(dir, 'directory', host)
    const release = await lockConfig(dir, host, interrupt)
    try {
      const changed = change(readConfig(dir, host.uid))
      const store = new Conf<StoredConfig>({
        cwd: dir,
        configName: 'config',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
      })
      store.store = changed
      return await keepPrivate(configFilePath(dir), 'file', host)
    } finally {
      await release()
    }
  } catch (error) {
    throw toStorageError('the settings', dir, error, 'MEETROOM_CONFIG_DIR')
  }
}

async function keepPrivate(path: string, what: 'file' | 'directory', host: Machine) {
  if (host.platform !== 'win32') return undefined
  const { keepToUser } = await import('../files/windows-acl.ts')
  return keepToUser(path, what, host)
}

async function lockConfig(dir: string, host: Machine, interrupt: AbortSignal): Promise<() => Promise<void>> {
  const lock = `${configFilePath(dir)}.lock`
  for (let waited = 0; ; ) {
    const holder = await takeLock(lock, host)
    if (holder === undefined) return () => rm(lock, { force: true })
    if (waited >= lockTimeoutMs)
      throw new OutputError(`the settings in ${dir} are in use (${holder}); nothing was stored`, {
        hint: `retry the command; if that process does not exist, delete ${lock}`,
        retryable: true,
      })
    // Jitter prevents waiting processes from retrying at the same time.
    const pause = pauseMs * (0.5 + host.random())
    waited += pause
    await host.sleep(pause, interrupt)
  }
}

export function withProfile(config: StoredConfig, name: string, profile: Profile): StoredConfig {
  return { ...config, profiles: { ...config.profiles, [name]: profile } }
}

export function withoutKey(profile: Profile = {}): Profile {
  const { api_key, key_command, api_key_origin, api_key_stored_at, data_dir, ...rest } = profile
  return rest
}

/** @throws {UsageError} for a key that is too short to be masked in output */
export function requireKeyLength(key: string): void {
  if (key.length >= minKeyLength) return
  throw new UsageError(`the key must have at least ${minKeyLength} characters`, {
    hint: 'check that the key is complete; meetroom cannot mask shorter keys in its output',
  })
}

/**
 * @param now current time, in milliseconds since 1970
 * @throws {UsageError} for a key that is too short
 */
export function withKey(profile: Profile | undefined, baseUrl: string, key: Key, now: number): Profile {
  if ('value' in key) requireKeyLength(key.value)
  const secret =
    'command' in key
      ? { key_command: key.command }
      : { api_key: key.value, api_key_stored_at: new Date(now).toISOString() }
  // The data directory belongs to the service, so a new key for the same service keeps it.
  const isSame = profile?.base_url === baseUrl && profile.data_dir !== undefined
  return {
    ...withoutKey(profile),
    base_url: baseUrl,
    ...secret,
    api_key_origin: new URL(baseUrl).origin,
    ...(isSame && { data_dir: profile.data_dir }),
  }
}

export function withoutProfile(config: StoredConfig, name: string): StoredConfig {
  const { [name]: _, ...profiles } = config.profiles ?? {}
  const { profile, ...rest } = config
  return profile === name || profile === undefined ? { ...rest, profiles } : { ...rest, profile, profiles }
}
