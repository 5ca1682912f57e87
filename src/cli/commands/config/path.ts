import { configFilePath } from '../../../config/stored-file.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { findConfigDir } from '../../requests/command-settings.ts'

export function defineConfigPath(config: MeetroomCommand): void {
  const path = config
    .command('path')
    .summary('Print the path of the settings file')
    .description('Print the path of the settings file, even if the file does not exist.')
    .act('machine', async (context) => {
      await context
        .plainPrinter()
        .data(`${configFilePath(await findConfigDir(context.host))}\n`, visibleLines)
    })
  path.addExamples('meetroom config path')
}
