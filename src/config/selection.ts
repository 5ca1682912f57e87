export interface Setting<T> {
  value: T
  from: string
}

export const localProfile = 'local'
export const defaultProfile = 'default'

export interface SelectionFlags {
  profile?: string | undefined
  local?: boolean | undefined
  baseUrl?: string | undefined
}

interface Selection {
  named: Setting<string> | undefined
  baseUrl: Setting<string> | undefined
  key: Setting<string> | undefined
  /** True if base URL and key are given and no profile is named. */
  isComplete: boolean
}

export function readSelection(
  flags: SelectionFlags,
  env: Readonly<Record<string, string | undefined>>,
): Selection {
  const fromEnv = (name: string): Setting<string> | undefined =>
    env[name] ? { value: env[name], from: name } : undefined
  const fromFlag = (value: string | undefined, flag: string): Setting<string> | undefined =>
    value === undefined ? undefined : { value, from: flag }
  const named =
    (flags.local ? { value: localProfile, from: '--local' } : undefined) ??
    fromFlag(flags.profile, '--profile') ??
    fromEnv('MEETROOM_PROFILE')
  const baseUrl = fromFlag(flags.baseUrl, '--base-url') ?? fromEnv('MEETROOM_BASE_URL')
  const key = readKey(env)
  return { named, baseUrl, key, isComplete: !named && baseUrl !== undefined && key !== undefined }
}

/** Trims the key, because files and secret stores often add a line break. */
function readKey(env: Readonly<Record<string, string | undefined>>): Setting<string> | undefined {
  const value = env['MEETROOM_API_KEY']?.trim()
  return value ? { value, from: 'MEETROOM_API_KEY' } : undefined
}
