import { Argument, type Command } from 'commander'
import { defaultProfile, localProfile, readSelection, type Setting } from '../../config/selection.ts'
import {
  createNoSuchProfileError,
  findProfile,
  listProfiles,
  type Profile,
  profileName,
  type StoredConfig,
} from '../../config/stored-file.ts'
import { parseBaseUrl } from '../../config/values.ts'
import { type Hint, NotFoundError, suggest, UsageError } from '../../errors.ts'
import type { Context } from './context.ts'

export function selectProfile({ flags, host }: Context, stored: StoredConfig): Setting<string> {
  const { named } = readSelection(flags, host.env)
  return named ?? { value: stored.profile ?? defaultProfile, from: 'settings file' }
}

export function requireStoredProfile(context: Context, stored: StoredConfig): Setting<string> {
  const profile = selectProfile(context, stored)
  requireKnownProfile(stored, profile)
  return profile
}

/** @throws {UsageError} if the profile is neither stored nor built in */
export function requireKnownProfile(stored: StoredConfig, { value: name, from }: Setting<string>): void {
  if (name !== defaultProfile && name !== localProfile && !findProfile(stored, name))
    throw createNoSuchProfileError(name, from, stored)
}

export class ProfileArgument extends Argument {
  constructor() {
    super('<profile>', 'name of the profile')
  }
}

/** @throws {NotFoundError} if an argument names no profile */
export async function checkProfiles(
  context: Context,
  { registeredArguments }: Command,
  args: readonly unknown[],
): Promise<void> {
  for (const [i, argument] of registeredArguments.entries()) {
    if (!(argument instanceof ProfileArgument)) continue
    const name = String(args[i])
    const stored = await context.storedConfig()
    if (name === localProfile || findProfile(stored, name)) continue
    const { known, closest } = listProfiles(name, stored)
    throw new NotFoundError(`no such profile: “${name}”`, {
      hint: known,
      correction: closest === undefined ? undefined : [name, closest],
    })
  }
}

/** @throws {UsageError} for an invalid name */
export function checkProfileName(name: string): void {
  if (!profileName.test(name))
    throw new UsageError(
      `“${name}” is not a valid profile name: use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit`,
    )
}

/**
 * Protects the base URL and key of an existing profile.
 * @param baseUrls base URLs that may be stored
 * @param replacement command that replaces the profile
 * @throws {UsageError} for a profile of another service that is protected or must not be replaced
 */
export function requireSameService(
  name: string,
  { base_url, protected: isProtected }: Profile,
  baseUrls: readonly string[],
  mayReplace: boolean,
  replacement: Hint,
): void {
  if (base_url === undefined || baseUrls.includes(normalize(base_url))) return
  if (mayReplace && isProtected !== true) return
  throw new UsageError(
    `profile ${name} is ${isProtected ? 'protected and ' : ''}for ${base_url}; nothing was stored`,
    {
      hint: [
        'to keep the profile, pass another name with --profile; to replace it: ',
        ...(isProtected ? [suggest(['profiles', 'unprotect', name]), ', then: '] : []),
        replacement,
      ],
    },
  )
}

function normalize(baseUrl: string): string {
  try {
    return parseBaseUrl(baseUrl)
  } catch {
    return baseUrl
  }
}
