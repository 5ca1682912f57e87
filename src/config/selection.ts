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

export type Env = Readonly<Record<string, string | undefined>>

export const readVariable = (env: Env, name: string): Setting<string> | undefined =>
  env[name] ? { value: env[name], from: name } : undefined

export const readFlag = (value: string | undefined, flag: string): Setting<string> | undefined =>
  value === undefined ? undefined : { value, from: flag }

/** Returns `isComplete: true` if base URL and key are given and no profile is named. */
export function readSelection(flags: SelectionFlags, env: Env) {
  const named =
    (flags.local ? { value: localProfile, from: '--local' } : undefined) ??
    readFlag(flags.profile, '--profile') ??
    readVariable(env, 'MEETROOM_PROFILE')
  const baseUrl = readFlag(flags.baseUrl, '--base-url') ?? readVariable(env, 'MEETROOM_BASE_URL')
  // Files and secret stores often add a line break to a key.
  const apiKey = env['MEETROOM_API_KEY']?.trim()
  const key = apiKey ? { value: apiKey, from: 'MEETROOM_API_KEY' } : undefined
  return { named, baseUrl, key, isComplete: !named && baseUrl !== undefined && key !== undefined }
}
