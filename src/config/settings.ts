import { createFlagConflict } from '../api/flag-conflict.ts'
import { isUrl } from '../api/is-url.ts'
import { MeetroomError, UsageError } from '../errors.ts'
import { parseLinkTemplate } from './link-template.ts'
import { isSameService } from './same-service.ts'
import {
  defaultProfile,
  type Env,
  localProfile,
  readFlag,
  readSelection,
  readVariable,
  type SelectionFlags,
  type Setting,
} from './selection.ts'
import {
  createNoSuchProfileError,
  findProfile,
  HiddenConfigError,
  type Profile,
  type StoredConfig,
} from './stored-file.ts'
import {
  type Format,
  parseAuditLog,
  parseBaseUrl,
  parseDirectory,
  parseFormat,
  parseRetries,
  parseTimeout,
  parseTimeZone,
} from './values.ts'

/** Minimum length of a redacted key, in characters. Shorter keys can occur in ordinary words. */
export const minKeyLength = 8

export const settable = {
  base_url: parseBaseUrl,
  output: parseFormat,
  timeout: parseTimeout,
  retries: parseRetries,
  audit_log: parseAuditLog,
  save_deleted: parseDirectory,
  join_url: parseLinkTemplate,
  replay_url: parseLinkTemplate,
  time_zone: parseTimeZone,
} as const
export type SettableKey = keyof typeof settable

interface SettingFlags extends SelectionFlags {
  output?: string
  json?: boolean
  timeout?: string
  retries?: string
  timeZone?: string
}

const defaultFormat: Setting<Format> = { value: 'table', from: 'default' }

export type Settings = ReturnType<typeof resolveSettings>

/**
 * Resolves the settings from flags, environment, profile and defaults, in that order.
 * @param mayBeNew true if the selected profile need not exist
 * @param servedUrl base URL of the served local workspace
 * @throws {UsageError} for an invalid value, conflicting flags or a missing profile
 */
export function resolveSettings(
  flags: SettingFlags,
  env: Env,
  read: () => StoredConfig,
  mayBeNew = false,
  servedUrl?: string,
) {
  const selected = selectProfile(flags, env, read, mayBeNew)
  const { named, baseUrl, key, profile, values, config, known, readError } = selected
  // A base URL takes precedence over a local profile that no flag or variable names.
  const local = profile.value === localProfile && (named !== undefined || baseUrl === undefined)
  if (local && flags.baseUrl !== undefined) throw createFlagConflict('--base-url', 'the local workspace')

  const fromProfile = (name: keyof Profile): Setting<string> | undefined =>
    values?.[name] === undefined
      ? undefined
      : { value: String(values[name]), from: `profile ${profile.value}` }
  const readSetting = (name: SettableKey, flag?: string) =>
    readFlag(flag, `--${name.replaceAll('_', '-')}`) ??
    readVariable(env, `MEETROOM_${name.toUpperCase()}`) ??
    fromProfile(name)
  const url = local ? undefined : (baseUrl ?? fromProfile('base_url'))
  const place = local ? servedUrl : url?.value
  const served = withServed(known, servedUrl)
  const keyCommand = local || key ? undefined : fromProfile('key_command')
  const apiKey = local || keyCommand ? undefined : (key ?? fromProfile('api_key'))
  const stored = Object.entries(config.profiles ?? {})
  const profiles = stored.flatMap(([name, { base_url }]) => (base_url ? [name] : []))
  // Links to another service must not contain the access tokens of this service.
  const isOwnUrl = !url || !values?.base_url || parseOrigin(values.base_url) === parseOrigin(url.value)
  const readTemplate = (name: 'join_url' | 'replay_url') =>
    convert(
      isOwnUrl ? readSetting(name) : readVariable(env, `MEETROOM_${name.toUpperCase()}`),
      parseLinkTemplate,
    )
  const output =
    flags.json && flags.output === undefined
      ? { value: 'json', from: '--json' }
      : readSetting('output', flags.output)
  if (flags.json && flags.output !== undefined && flags.output !== 'json')
    throw createFlagConflict('--json', `--output ${flags.output}`)

  return {
    ...{ profile, local, apiKey, keyCommand, readError },
    profiles,
    baseUrl: url && convert(url, parseBaseUrl),
    /** Directory of the local workspace of a profile from `serve --save-profile`. */
    dataDir:
      url && values?.data_dir !== undefined && values.api_key_origin === parseOrigin(url.value)
        ? String(values.data_dir)
        : undefined,
    /** True if MEETROOM_API_KEY is set without a key. */
    isKeyEmpty: env['MEETROOM_API_KEY'] !== undefined && key === undefined,
    /** Name of a profile with a key for the origin of the base URL. */
    keyHolder: findKeyHolder(url?.value, config),
    /** Time in ISO 8601 and UTC; undefined if unknown, or if the key is not stored. */
    apiKeyStoredAt: apiKey && apiKey !== key ? values?.api_key_stored_at : undefined,
    /** Origin to which a profile's key may be sent, or `none`; undefined for other keys. */
    apiKeyOrigin: keyCommand || (apiKey && apiKey !== key) ? (values?.api_key_origin ?? 'none') : undefined,
    output: convert(output, parseFormat) ?? defaultFormat,
    /** Timeout of a request, in seconds. */
    timeout: convert(readSetting('timeout', flags.timeout), parseTimeout) ?? { value: 30, from: 'default' },
    retries: convert(readSetting('retries', flags.retries), parseRetries) ?? { value: 2, from: 'default' },
    auditLog: convert(readSetting('audit_log') ?? findAuditLog(place, served), parseAuditLog),
    saveDeleted: convert(readSetting('save_deleted'), parseDirectory),
    joinUrl: readTemplate('join_url'),
    replayUrl: readTemplate('replay_url'),
    /** Undefined for the time zone of this machine. */
    timeZone: convert(readSetting('time_zone', flags.timeZone), parseTimeZone),
    /** Name of a profile that protects the service. Writes then need `--allow-write`. */
    protectedBy: values?.protected === true ? profile.value : findProtector(place, served),
  }
}

function selectProfile(flags: SettingFlags, env: Env, read: () => StoredConfig, mayBeNew: boolean) {
  if (flags.local && flags.profile !== undefined && flags.profile !== localProfile)
    throw createFlagConflict('--local', `--profile ${flags.profile}`)
  const { named, baseUrl, key, isComplete } = readSelection(flags, env)
  const { config: known, readError }: ConfigResult = isComplete
    ? tryRead(read, (error) => error instanceof HiddenConfigError)
    : named?.value === localProfile
      ? tryRead(read)
      : { config: read() }
  // An unused profile can still protect the service, or have its audit log.
  const config = isComplete ? {} : known
  const stored = config.profile === undefined ? undefined : { value: config.profile, from: 'settings file' }
  const profile = named ?? stored ?? { value: defaultProfile, from: 'default' }
  const values = findProfile(config, profile.value)
  const isRequired = !mayBeNew && profile.value !== localProfile && profile.value !== defaultProfile
  if (isRequired && !values) throw createNoSuchProfileError(profile.value, profile.from, config)
  return { named, baseUrl, key, profile, values, config, known, readError }
}

/** Protection applies to a service under any profile. */
function findProtector(baseUrl: string | undefined, config: StoredConfig): string | undefined {
  return findProfiles(baseUrl, config).find(([, profile]) => profile.protected === true)?.[0]
}

function findAuditLog(baseUrl: string | undefined, config: StoredConfig): Setting<string> | undefined {
  for (const [name, { audit_log }] of findProfiles(baseUrl, config))
    if (audit_log !== undefined) return { value: String(audit_log), from: `profile ${name}` }
}

function findKeyHolder(baseUrl: string | undefined, { profiles = {} }: StoredConfig) {
  const origin = baseUrl === undefined ? undefined : parseOrigin(baseUrl)
  const [name, { base_url = '' } = {}] =
    Object.entries(profiles).find(
      ([, { api_key, key_command, api_key_origin }]) =>
        origin !== undefined && api_key_origin === origin && (api_key || key_command),
    ) ?? []
  if (name === undefined) return undefined
  // A stored base URL may be invalid, contain a password, or belong to another service than the key.
  const stored = tryParseBaseUrl(String(base_url))
  return { name, baseUrl: (stored && parseOrigin(stored) === origin ? stored : baseUrl) ?? '' }
}

function tryParseBaseUrl(text: string): string | undefined {
  try {
    return parseBaseUrl(text)
  } catch {
    return undefined
  }
}

function findProfiles(baseUrl: string | undefined, { profiles = {} }: StoredConfig): [string, Profile][] {
  if (baseUrl === undefined) return []
  return Object.entries(profiles).filter(([, { base_url }]) => base_url && isSameService(base_url, baseUrl))
}

/** Adds the served base URL, because the local profile stores no base URL. */
function withServed(config: StoredConfig, servedUrl: string | undefined): StoredConfig {
  const profile = servedUrl && findProfile(config, localProfile)
  if (!profile) return config
  return { ...config, profiles: { ...config.profiles, [localProfile]: { ...profile, base_url: servedUrl } } }
}

export function parseOrigin(url: string): string | undefined {
  return isUrl(url) ? new URL(url).origin : undefined
}

interface ConfigResult {
  config: StoredConfig
  /** Error of the settings file, if the command works without the file. Protection is then unknown. */
  readError?: MeetroomError | undefined
}

function tryRead(read: () => StoredConfig, isMissing = (_: MeetroomError) => false): ConfigResult {
  try {
    return { config: read() }
  } catch (error) {
    if (!(error instanceof MeetroomError)) throw error
    return { config: {}, readError: isMissing(error) ? undefined : error }
  }
}

function convert<T>(setting: Setting<string> | undefined, parse: (text: string) => T) {
  if (!setting) return undefined
  try {
    return { value: parse(setting.value), from: setting.from }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const [, meant] = error.correction ?? []
    throw new UsageError(`${setting.from}: ${error.message}`, {
      hint:
        meant !== undefined && /^MEETROOM_/.test(setting.from)
          ? `export ${setting.from}=${meant}`
          : error.hint,
      correction: error.correction,
    })
  }
}
