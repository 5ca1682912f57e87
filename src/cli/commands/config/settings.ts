import { findClosest } from '../../../api/closest.ts'
import { localProfile } from '../../../config/selection.ts'
import { type SettableKey, settable } from '../../../config/settings.ts'
import { findProfile, type Profile } from '../../../config/stored-file.ts'
import { withProfile } from '../../../config/writer.ts'
import { type Hint, suggest, UsageError } from '../../../errors.ts'
import { readMachineZone } from '../../calendar/time-zone.ts'
import type { Context } from '../../kernel/context.ts'
import { requireStoredProfile } from '../../kernel/profile.ts'
import { explainKeyAsArgument } from '../../mistakes/key-as-argument.ts'
import type { Printed } from '../../output/schemas/printed.ts'

export const settingKeys = Object.keys(settable) as SettableKey[]

/** @param names names that the command accepts */
export function unknownKeyError(
  name: string,
  names: readonly string[] = settingKeys,
  hint?: Hint,
): UsageError {
  const near = hint === undefined ? findClosest(name, names) : undefined
  return new UsageError(`no such setting: “${name}”; settings are ${names.join(', ')}`, {
    hint,
    correction: near === undefined ? undefined : [name, near],
  })
}

/** @throws {UsageError} for a name that is not a setting, or a setting with its own command */
export function requireKey(name: string): SettableKey {
  if (/^api[-_]?key$/i.test(name)) throw explainKeyAsArgument()
  if (name === 'key_command')
    throw new UsageError('“config set” cannot set key_command, because a login tests the command first', {
      hint: [
        'store a key command, such as “pass show meet”, with: ',
        suggest(['auth', 'login', '--key-command', 'pass show meet']),
      ],
    })
  if (name === 'profile')
    throw unknownKeyError(name, settingKeys, [
      'switch profiles with “profiles use”; list them with: ',
      suggest(['profiles', 'list']),
    ])
  const key = settingKeys.find((known) => known === name)
  if (!key) throw unknownKeyError(name)
  return key
}

/**
 * Changes the selected profile. Refuses another base URL for a protected profile.
 * @returns name of the profile
 * @throws {UsageError | OutputError} if the profile cannot be changed
 */
export async function changeProfile(
  context: Context,
  change: (profile: Profile) => Profile,
): Promise<string> {
  const stored = await context.storedConfig()
  const { value: name } = requireStoredProfile(context, stored)
  await context.changeConfig((config) => {
    const before = findProfile(config, name) ?? {}
    const after = change(before)
    if (before.protected && after.base_url !== before.base_url)
      throw new UsageError(`profile ${name} is protected, so its base URL cannot be changed`, {
        hint: ['end the protection with: ', suggest(['profiles', 'unprotect', name])],
      })
    return withProfile(config, name, after)
  })
  return name
}

/** Returns a profile with a service if `name` has none, so that a setting of `name` has no effect. */
export async function findUsedProfile(context: Context, name: string): Promise<string | undefined> {
  const { flags, host } = context
  const { profiles = {} } = await context.storedConfig()
  const baseUrl = profiles[name]?.base_url ?? flags.baseUrl ?? host.env['MEETROOM_BASE_URL']
  if (name === localProfile || baseUrl) return undefined
  return Object.keys(profiles).find((other) => profiles[other]?.base_url)
}

/** Includes the source of the key, never the key. */
export async function listEffectiveSettings(context: Context): Promise<Printed['config get'][]> {
  const { profile, local, baseUrl, apiKey, keyCommand, output, timeout, retries, ...others } =
    await context.settings()
  const shownKey = local
    ? { value: 'created for the workspace', from: 'workspace' }
    : keyCommand
      ? { value: 'printed by a command', from: keyCommand.from }
      : apiKey && { value: 'set', from: apiKey.from }
  const settings = {
    profile,
    base_url: baseUrl,
    api_key: shownKey,
    output,
    timeout,
    retries,
    audit_log: others.auditLog,
    save_deleted: others.saveDeleted,
    join_url: others.joinUrl,
    replay_url: others.replayUrl,
    time_zone: others.timeZone ?? { value: readMachineZone(), from: 'default' },
  }
  return Object.entries(settings).map(([key, setting]) => ({
    key,
    value: setting?.value ?? null,
    origin: setting?.from ?? null,
  }))
}
