import { readMachineZone } from '../../calendar/time-zone.ts'
import type { Context } from '../../kernel/context.ts'
import type { Printed } from '../../output/schemas/printed.ts'

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
