import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

const replacement =
  'in a container image, set XDG_CACHE_HOME and run the commands once, as the help topic “ci” shows'

export function defineCacheWarm(cache: MeetroomCommand, act: DefineAction): void {
  const warm = cache
    .command('warm')
    .summary('Deprecated: does nothing')
    .description(`Deprecated: does nothing. Instead, ${replacement}.`)
    .action(
      act('machine', (context) =>
        context.plainPrinter().notice(`cache warm is deprecated and does nothing; ${replacement}`),
      ),
    )
  addExamples(warm, 'meetroom cache warm')
}
