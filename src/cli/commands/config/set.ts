import { settable } from '../../../config/settings.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { changeProfile, requireKey, settingKeys } from './setting-key.ts'

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
        const value = settable[key](text)
        await changeProfile(context, (profile) => ({
          ...profile,
          [key]: value,
        }))
      }),
    )
  addExamples(set, 'meetroom config set output json', 'meetroom config set timeout 60 --profile staging')
}
