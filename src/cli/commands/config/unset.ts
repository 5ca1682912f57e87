import { suggest } from '../../../errors.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { changeProfile, requireKey, settingKeys, unknownKeyError } from './settings.ts'

export function defineConfigUnset(config: MeetroomCommand): void {
  const unset = config
    .command('unset')
    .summary('Reset a setting to its default')
    .description('Reset a setting of the profile to its default.')
    .argument('<setting>', `name of the setting: ${settingKeys.join(', ')}`)
    .act('forgets', async (context, name: string) => {
      if (name === 'api_key' || name === 'key_command')
        throw unknownKeyError(name, settingKeys, ['delete the key with: ', suggest(['auth', 'logout'])])
      const key = requireKey(name)
      await changeProfile(context, ({ [key]: _, ...rest }) => rest)
    })
  unset.addExamples('meetroom config unset output')
}
