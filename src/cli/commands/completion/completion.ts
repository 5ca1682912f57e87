import { Argument } from 'commander'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { type Shell, shells } from '../../shell/format-completion.ts'
import { installInstructions, scripts } from '../../shell/scripts.ts'

export function defineCompletion(completion: MeetroomCommand): void {
  completion
    .description(
      'Print a script that completes commands, flags and their values, profiles, fields, and the IDs of rooms, members and users. ' +
        'Completion reads IDs with one request, caches them for a minute, and never sends requests through a protected profile.',
    )
    .addArgument(new Argument('<shell>', 'shell for the script').choices(shells))
    .act('machine', async (context, shell: Shell) => {
      const printer = context.plainPrinter()
      await printer.data(scripts[shell], visibleLines)
      // A shell that evaluates the script at each start must not repeat the notice.
      if (!context.host.stdout.isTTY) return
      await printer.notice(await context.hintText(['to install it, ', installInstructions[shell]]))
    })
  completion.addExamples(
    'eval "$(meetroom completion bash)"',
    'source <(meetroom completion zsh)',
    'meetroom completion fish > ~/.config/fish/completions/meetroom.fish',
    'meetroom completion powershell | Out-String | Invoke-Expression',
  )
}
