import { defaultProfile, localProfile, type Setting } from '../../config/settings.ts'
import { findProfile, noSuchProfile, type StoredConfig } from '../../config/stored-file.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from './context.ts'

/** The profile that a command on settings is about: the one that is named, else the one in use. */
export function namedProfile({ flags, host }: Context, stored: StoredConfig): Setting<string> {
  const fromEnv = host.env['MEETROOM_PROFILE']
  if (flags.local) return { value: localProfile, from: '--local' }
  if (flags.profile !== undefined) return { value: flags.profile, from: '--profile' }
  if (fromEnv) return { value: fromEnv, from: 'MEETROOM_PROFILE' }
  return { value: stored.profile ?? defaultProfile, from: 'settings file' }
}

/**
 * The same, for a command that is not about to make it.
 * @throws {UsageError} when nobody has stored it
 */
export function storedProfile(context: Context, stored: StoredConfig): Setting<string> {
  const profile = namedProfile(context, stored)
  const { value: name, from } = profile
  if (name !== defaultProfile && name !== localProfile && !findProfile(stored, name))
    throw noSuchProfile(name, ` (${from})`)
  return profile
}

/** Names that can be typed without quotes and mean nothing else. */
export function checkProfileName(name: string): void {
  if (!/^[a-z0-9][\w.-]{0,63}$/i.test(name))
    throw new UsageError(
      `“${name}” is not a valid profile name: use letters, digits, dots, dashes and underscores`,
    )
}
