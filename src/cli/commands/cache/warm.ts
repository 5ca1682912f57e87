import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

const replacement =
  'in a container image, set XDG_CACHE_HOME and run the commands once, as the help topic “ci” shows'

export function defineCacheWarm(cache: MeetroomCommand): void {
  const warm = cache
    .command('warm')
    .summary('Deprecated: does nothing')
    .description(`Deprecated: does nothing. Instead, ${replacement}.`)
    .act('machine', (context) =>
      context.plainPrinter().notice(`cache warm is deprecated and does nothing; ${replacement}`),
    )
  warm.addExamples('meetroom cache warm')
}
