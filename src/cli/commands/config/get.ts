import { NotFoundError } from '../../../errors.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { listEffectiveSettings, settingKeys, unknownKeyError } from './settings.ts'

export function defineConfigGet(config: MeetroomCommand): void {
  const get = config
    .command('get')
    .summary('Print one setting')
    .description('Print the effective value of one setting.')
    .argument(
      '<setting>',
      `name of the setting: profile, api_key (set or not set), ${settingKeys.join(', ')}`,
    )
    .act('machine', async (context, name: string) => {
      const settings = await listEffectiveSettings(context)
      const found = settings.find(({ key }) => key === name)
      if (!found)
        throw unknownKeyError(
          name,
          settings.map(({ key }) => key),
        )
      if (found.value === null) throw new NotFoundError(`${name} is not set`)
      const printer = await context.printer()
      if (printer.printsJson) await printer.json(found)
      else await printer.data(`${found.value}\n`, visibleLines)
      if (name === 'api_key') await context.notice('the key itself is never printed')
    })
  get.addExamples('meetroom config get base_url')
}
