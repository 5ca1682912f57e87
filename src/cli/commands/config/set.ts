import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { parseOrigin, settable } from '../../../config/settings.ts'
import { formatDuration } from '../../../duration.ts'
import { suggest, UsageError } from '../../../errors.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { changeProfile, findUsedProfile, requireKey, settingKeys } from './settings.ts'

export function defineConfigSet(config: MeetroomCommand): void {
  const set = config
    .command('set')
    .summary('Change a setting of the profile')
    .description('Change a setting of the profile in use, or of the profile given with --profile.')
    .argument('<setting>', `name of the setting: ${settingKeys.join(', ')}`)
    .argument('<value>', 'new value')
    .act('machine', async (context, name: string, text: string) => {
      const key = requireKey(name)
      // Stored paths are absolute, because later commands run in other directories.
      const isPath = key === 'audit_log' || key === 'save_deleted'
      if (isPath && /^(true|false|on|off|yes|no)$/i.test(text))
        throw new UsageError(`${key} must be a path, not “${text}”`)
      const isRelative = isPath && text !== '' && !text.startsWith('~') && !isAbsolute(text)
      const value = settable[key](isRelative ? resolve(context.host.cwd, text) : text)
      if (key === 'audit_log' && !existsSync(dirname(String(value))))
        throw new UsageError(`the directory ${dirname(String(value))} does not exist`, {
          hint: `run: mkdir -p ${quoteForShell(dirname(String(value)))}`,
        })
      let keyOrigin: string | undefined
      const changed = await changeProfile(context, (profile) => {
        keyOrigin = profile.api_key_origin
        return { ...profile, [key]: value }
      })
      const used = await findUsedProfile(context, changed)
      if (used !== undefined)
        await context.notice([
          `profile ${changed} has no service; for profile ${used}: `,
          suggest(['config', 'set', key, String(value), '--profile', used]),
        ])
      if (isRelative) await context.notice(`${key} is ${value}`)
      if (key === 'base_url' && !/\/v\d+$/i.test(String(value)))
        await context.notice([
          'warning: a base URL ends with the version, as in: ',
          suggest(['config', 'set', key, `${String(value).replace(/\/$/, '')}/v1`]),
        ])
      if (key === 'timeout' && /^\d{4,}$/.test(text))
        await context.notice(`the timeout is ${formatDuration(1000 * Number(value))}`)
      if (key === 'base_url' && keyOrigin !== undefined && keyOrigin !== parseOrigin(text))
        await context.notice([
          `the stored key belongs to ${keyOrigin}; store a key for this service with: `,
          suggest(['auth', 'login']),
        ])
    })
  set.addExamples('meetroom config set output json', 'meetroom config set timeout 60 --profile staging')
}
