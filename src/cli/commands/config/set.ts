import { parseOrigin, type SettableKey, settable } from '../../../config/settings.ts'
import { formatDuration } from '../../../duration.ts'
import { suggest, UsageError } from '../../../errors.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { changeProfile, requireKey, settingKeys } from './setting-key.ts'

/** Example values of settings that need an absolute path. */
const examples: Partial<Record<SettableKey, string>> = {
  audit_log: '/var/log/audit.log',
  save_deleted: '/var/backups/meetroom',
}

/** @throws {UsageError} for an invalid value, with a command as the hint if the setting has an example */
function parseSetting(key: SettableKey, text: string): string | number {
  try {
    return settable[key](text)
  } catch (error) {
    const example = examples[key]
    if (!(error instanceof UsageError) || example === undefined) throw error
    throw new UsageError(error.message, {
      hint: ['pass an absolute path, as in: ', suggest(['config', 'set', key, example])],
    })
  }
}

export function defineConfigSet(config: MeetroomCommand, act: DefineAction): void {
  const set = config
    .command('set')
    .summary('Change a setting of the profile')
    .description('Change a setting of the profile in use, or of the profile given with --profile.')
    .argument('<setting>', `name of the setting: ${settingKeys.join(', ')}`)
    .argument('<value>', 'new value')
    .action(
      act('machine', async (context, name: string, text: string) => {
        const key = requireKey(name)
        const value = parseSetting(key, text)
        let keyOrigin: string | undefined
        await changeProfile(context, (profile) => {
          keyOrigin = profile.api_key_origin
          return { ...profile, [key]: value }
        })
        if (key === 'timeout' && /^\d{4,}$/.test(text))
          await context.notice(`the timeout is ${formatDuration(1000 * Number(value))}`)
        if (key === 'base_url' && keyOrigin !== undefined && keyOrigin !== parseOrigin(text))
          await context.notice([
            `the stored key belongs to ${keyOrigin}; store a key for this service with: `,
            suggest(['auth', 'login']),
          ])
      }),
    )
  addExamples(set, 'meetroom config set output json', 'meetroom config set timeout 60 --profile staging')
}
