import { join } from 'node:path'
import { suggest, suggestElsewhere, tooFewHandles, UsageError } from '../errors.ts'
import { readTrusted } from '../files/trusted-file.ts'

/** What a profile may hold. `api_key_origin` is the one origin that `api_key` is ever sent to, or what `key_command` prints. */
export interface Profile {
  base_url?: string
  api_key?: string
  /** Prints the key, instead of `api_key`. */
  key_command?: string
  api_key_origin?: string
  /** When `api_key` was stored: ISO 8601, UTC. Absent for keys that earlier versions stored. */
  api_key_stored_at?: string
  output?: string
  timeout?: number
  retries?: number
  audit_log?: string
  /** Folder for what is deleted. */
  save_deleted?: string
  /** Writes need --allow-write. */
  protected?: boolean
}

/** A key, or the command that prints it. */
export type Key = { value: string } | { command: string }

/** The settings file. */
export interface StoredConfig {
  /** Name of the profile in use. */
  profile?: string
  profiles?: Record<string, Profile>
}

/** Where the settings file is. */
export function configFile(dir: string): string {
  return join(dir, 'config.json')
}

/**
 * Reads the settings file; an absent one is an empty one.
 * @param uid number of this user
 * @throws {UsageError} when it cannot be read, may be somebody else’s or is not what we wrote
 */
export function readConfig(dir: string, uid: number | undefined): StoredConfig {
  const file = configFile(dir)
  let text: string
  try {
    text = readTrusted(file, uid, `the settings file ${file}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    const handles = tooFewHandles(error)
    if (handles) throw handles
    throw new UsageError(`the settings file ${file} cannot be read (${code})`)
  }
  const broken = new UsageError(`the settings file ${file} is not a valid meetroom settings file`, {
    hint: 'fix it, or move it away and log in again',
  })
  try {
    const config: unknown = JSON.parse(text)
    if (!isRecord(config) || !['undefined', 'string'].includes(typeof config['profile'])) throw broken
    if (config['profiles'] !== undefined && !isRecord(config['profiles'])) throw broken
    if (Object.values(config['profiles'] ?? {}).some((profile) => !isRecord(profile))) throw broken
    return config as StoredConfig
  } catch {
    throw broken
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A profile by name; undefined when it is not stored. */
export function findProfile(config: StoredConfig, name: string): Profile | undefined {
  return config.profiles && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

/** The error for a name that no profile has. */
export function noSuchProfile(name: string, from = ''): UsageError {
  return new UsageError(`no such profile: “${name}”${from}`, {
    hint: [
      'list them with: ',
      suggestElsewhere(['profiles', 'list']),
      '; create it with: ',
      suggest(['auth', 'login']),
    ],
  })
}
