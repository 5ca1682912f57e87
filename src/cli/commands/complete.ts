import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { type Completion, findCandidates } from '../shell/candidates.ts'
import { formatCompletion, shells } from '../shell/format-completion.ts'
import { parsePartialLine, splitLine } from '../shell/line.ts'
import { createLookup } from '../shell/live.ts'
import { readPowerShellLine } from '../shell/powershell.ts'

export function defineComplete(
  complete: MeetroomCommand,
  define: (names: readonly string[]) => Promise<void>,
): void {
  complete
    .description('Print completion candidates for a shell; see: meetroom completion --help.')
    .argument('<shell>', shells.join(', '))
    .argument('[line]', 'the line up to the cursor; for PowerShell, its words in Base64')
    .argument('[replaced]', 'the end of the line, which bash and PowerShell replace')
    .argument('[reason]', 'the value of COMP_TYPE in bash')
    .act('machine', async (context, name: string, ...rest: (string | undefined)[]) => {
      const [line = '', replaced = '', reason = ''] = rest
      const shell = shells.find((known) => known === name)
      if (!shell) return
      const root = complete.parent as MeetroomCommand
      const powerShell = shell === 'powershell' ? readPowerShellLine(line, replaced) : undefined
      const words = powerShell?.words ?? splitLine(line)
      await define(words)
      const typed = parsePartialLine(root, words)
      const completion: Completion = await findCandidates(root, typed, createLookup(context, typed.flags))
      // COMP_TYPE values (codes of `?`, `!` and `@`) with which bash requests a list of candidates.
      const isShown = ['63', '33', '64'].includes(reason)
      const text = formatCompletion(shell, completion, { line, replaced, isShown, powerShell })
      await context.plainPrinter().data(text, () => text)
    })
}
