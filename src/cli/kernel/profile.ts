import { defaultProfile, localProfile, readSelection, type Setting } from '../../config/selection.ts'
import { createNoSuchProfileError, findProfile, type StoredConfig } from '../../config/stored-file.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from './context.ts'

export function selectProfile({ flags, host }: Context, stored: StoredConfig): Setting<string> {
  const { named } = readSelection(flags, host.env)
  return named ?? { value: stored.profile ?? defaultProfile, from: 'settings file' }
}

/** @throws {UsageError} if the profile is not stored */
export function requireStoredProfile(context: Context, stored: StoredConfig): Setting<string> {
  const profile = selectProfile(context, stored)
  const { value: name, from } = profile
  if (name !== defaultProfile && name !== localProfile && !findProfile(stored, name))
    throw createNoSuchProfileError(name, ` (${from})`)
  return profile
}

/** @throws {UsageError} if the name would need quotes on a command line or look like a flag */
export function checkProfileName(name: string): void {
  if (!/^[a-z0-9][\w.-]{0,63}$/i.test(name))
    throw new UsageError(
      `“${name}” is not a valid profile name: use letters, digits, dots, dashes and underscores`,
    )
}
