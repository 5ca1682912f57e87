import type { DefineAction } from '../../kernel/action.ts'
import { addAlias, addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createPage } from '../../output/views/page.ts'
import type { View } from '../../output/views/views.ts'
import { listEffectiveSettings } from './effective-settings.ts'

function viewFor(showOrigin: boolean): View {
  const fields = showOrigin ? ['key', 'value', 'origin'] : ['key', 'value']
  return {
    noun: ['setting', 'settings'],
    id: 'key',
    columns: fields.map((field, i) => ({ field, weight: 9 - i })),
    fields,
  }
}

export function defineConfigList(config: MeetroomCommand, act: DefineAction): void {
  const list = config
    .command('list')
    .summary('List the settings')
    .description('List the settings in effect, from all sources. The key is never shown.')
    .option('--show-origin', 'show where each value comes from')
    .action(
      act('machine', async (context, flags: { showOrigin?: boolean }) => {
        const view = viewFor(flags.showOrigin ?? false)
        const printer = await context.printer()
        printer.check(view)
        const items = (await listEffectiveSettings(context)).map(({ key, value, origin }) =>
          flags.showOrigin ? { key, value, origin } : { key, value },
        )
        await printer.list(view, 'settings', createPage({ items }))
      }),
    )
  addAlias(list, 'ls')
  addExamples(list, 'meetroom config list --show-origin')
}
