import { localProfile } from '../../../config/selection.ts'
import { findProfile } from '../../../config/stored-file.ts'
import { withoutKey, withProfile } from '../../../config/writer.ts'
import { UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { requireStoredProfile } from '../../kernel/profile.ts'

export function defineLogout(auth: MeetroomCommand): void {
  const logout = auth
    .command('logout')
    .summary('Delete the stored API key')
    .description('Delete the API key of the profile. Other settings of the profile do not change.')
    .act('forgets', (context) => logOut(context))
  logout.addExamples('meetroom auth logout --profile staging')
}

async function logOut(context: Context): Promise<void> {
  context.expectNewProfile()
  const stored = await context.storedConfig()
  const { value: name } = requireStoredProfile(context, stored)
  if (name === localProfile) throw new UsageError('the local workspace has no stored key')
  const { api_key, key_command } = findProfile(stored, name) ?? {}
  if (!api_key && !key_command) return context.notice(`profile ${name} has no key; nothing was deleted`)
  await context.changeConfig((config) => withProfile(config, name, withoutKey(findProfile(config, name))))
  await context.notice(`deleted the key of profile ${name}`)
  if (context.host.env['MEETROOM_API_KEY'])
    await context.notice('MEETROOM_API_KEY is still set in the environment')
}
