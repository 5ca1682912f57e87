import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { omitFields } from '../../output/views/define-row.ts'
import { createPage } from '../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../output/views/rows.ts'
import { listEffectiveSettings } from './settings.ts'

export function defineConfigList(config: MeetroomCommand): void {
  const list = config
    .command('list')
    .summary('List the settings')
    .description('List the settings in effect, from all sources. Never shows the key.')
    .option('--show-origin', 'show the source of each value')
    .act('machine', async (context, flags: { showOrigin?: boolean }) => {
      const printer = await context.printer()
      const showOrigin = flags.showOrigin ?? printer.options.columns?.includes('origin')
      const view = omitFields(rowKinds.settings, showOrigin ? [] : ['origin'])
      printer.check(view)
      const items = (await listEffectiveSettings(context)).map(
        ({ origin, ...setting }): RowOf<'settings'> => ({ ...setting, ...(showOrigin && { origin }) }),
      )
      await printer.list(view, 'settings', createPage({ items }))
    })
  list.alias('ls')
  list.addExamples('meetroom config list --show-origin')
}
