import { join } from 'node:path'
import { findClosest } from '../api/closest.ts'
import { isRecord } from '../api/guards.ts'
import { suggestExample, UsageError } from '../errors.ts'
import { toReadError } from '../files/file-errors.ts'
import { isHiddenByOthers, readTrusted } from '../files/trusted-file.ts'
import { localProfile } from './selection.ts'

/** Stored profile. The client sends the key only to `api_key_origin`. */
export interface Profile {
  base_url?: string
  api_key?: string
  key_command?: string
  api_key_origin?: string
  /** Directory of the local workspace that the key belongs to, from `serve --save-profile`. */
  data_dir?: string
  /** Time when the key was stored, in ISO 8601 and UTC. */
  api_key_stored_at?: string
  output?: string
  timeout?: number
  retries?: number
  audit_log?: string
  save_deleted?: string
  join_url?: string
  replay_url?: string
  time_zone?: string
  protected?: boolean
}

export type Key = { value: string } | { command: string }

export interface StoredConfig {
  profile?: string
  profiles?: Record<string, Profile>
}

export function configFilePath(dir: string): string {
  return join(dir, 'config.json')
}

/** Error of a settings file that another user's directory hides, such as root's home. */
export class HiddenConfigError extends UsageError {}

/**
 * Returns empty settings without a settings file.
 * @throws {UsageError} if the settings file is unreadable or invalid, or another user controls the file
 */
export function readConfig(dir: string, uid: number | undefined): StoredConfig {
  const file = configFilePath(dir)
  let text: string
  try {
    text = readTrusted(file, uid, `the settings file ${file}`, { hasOwnDirectory: true })
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw toReadError(`the settings file ${file}`, error, {
      Kind: isHiddenByOthers(error, uid) ? HiddenConfigError : UsageError,
    })
  }
  const config = parseConfig(text)
  if (!config)
    throw new UsageError(`${file} is not a valid settings file`, {
      hint: 'fix the file, or move it away and log in again',
    })
  // A misspelled value must not remove the protection of a service.
  for (const [name, { protected: value }] of Object.entries(config.profiles ?? {}))
    if (value !== undefined && typeof value !== 'boolean')
      throw new UsageError(
        `the settings file ${file} is damaged: “protected” of profile ${name} must be true or false, not ${JSON.stringify(value)}`,
        { hint: `set “protected” of profile ${name} to true or false` },
      )
  return config
}

function parseConfig(text: string): StoredConfig | undefined {
  try {
    const config: unknown = JSON.parse(text)
    if (!isRecord(config) || !['undefined', 'string'].includes(typeof config['profile'])) return undefined
    const { profiles = {} } = config
    return isRecord(profiles) && Object.values(profiles).every(isRecord)
      ? (config as StoredConfig)
      : undefined
  } catch {
    return undefined
  }
}

export const profileName = /^[a-z0-9][\w.-]{0,63}$/i

export function findProfile(config: StoredConfig, name: string): Profile | undefined {
  return config.profiles && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

export function createNoSuchProfileError(name: string, from: string, config: StoredConfig): UsageError {
  const { known, closest } = listProfiles(name, config)
  if (/^https?:/i.test(name))
    return new UsageError(`no such profile: “${name}” (${from})`, {
      hint: 'pass a URL with --base-url instead of --profile',
    })
  const create = ['; create the profile with: ', suggestExample(['auth', 'login', '--profile', name])]
  const canCreate = closest === undefined && profileName.test(name)
  return new UsageError(`no such profile: “${name}” (${from})`, { hint: [known, canCreate ? create : ''] })
}

export function listProfiles(name: string, { profiles = {} }: StoredConfig) {
  const names = [...Object.keys(profiles).filter((stored) => stored !== localProfile), localProfile]
  const closest = findClosest(name, names)
  return { known: `${closest ? `did you mean “${closest}”? ` : ''}profiles: ${names.join(', ')}`, closest }
}
