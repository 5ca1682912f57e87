import { MeetroomError } from '../errors.ts'
import { defaultProfile, type Env, localProfile, readSelection, type SelectionFlags } from './selection.ts'
import type { StoredConfig } from './stored-file.ts'

/** Returns the flags that select the same service later. Names even a default profile, which may change. */
export function readTargetFlags(
  flags: SelectionFlags,
  env: Env,
  read: () => StoredConfig,
): readonly string[] {
  const { named, baseUrl, isComplete } = readSelection(flags, env)
  const name = named?.value ?? (isComplete ? undefined : readDefaultProfile(read))
  if (name === localProfile && (named || !baseUrl)) return ['--local']
  return [
    ...(name === undefined || name === localProfile ? [] : ['--profile', name]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl.value]),
  ]
}

function readDefaultProfile(read: () => StoredConfig): string | undefined {
  try {
    const { profile, profiles = {} } = read()
    return profile ?? (Object.keys(profiles).length > 0 ? defaultProfile : undefined)
  } catch (error) {
    // The run itself reports the error of the settings file.
    if (error instanceof MeetroomError) return undefined
    throw error
  }
}
