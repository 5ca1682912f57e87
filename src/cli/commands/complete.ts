import type { DefineAction } from '../kernel/action.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { type Answer, answerFor, shells } from '../shell/answer.ts'
import { findCandidates } from '../shell/candidates.ts'
import { readTyped, wordsOf } from '../shell/line.ts'
import { createLookup } from '../shell/live.ts'

/** Defines the command that the scripts of `meetroom completion` call. */
export function defineComplete(
  complete: MeetroomCommand,
  act: DefineAction,
  define: (names: readonly string[]) => Promise<void>,
): void {
  complete
    .description('Answer the shell about a line that is being typed; see: meetroom completion --help.')
    .argument('<shell>', shells.join(', '))
    .argument('[line]', 'the line up to the cursor')
    .argument('[replaced]', 'the end of it that bash replaces')
    .argument('[reason]', 'why bash asks, as COMP_TYPE says')
    .action(
      act('machine', async (context, name: string, ...rest: (string | undefined)[]) => {
        const [line = '', replaced = '', reason = ''] = rest
        const shell = shells.find((known) => known === name)
        if (!shell) return
        const root = complete.parent as MeetroomCommand
        const words = wordsOf(line)
        await define(words)
        const typed = readTyped(root, words)
        const answer: Answer = await findCandidates(root, typed, createLookup(context, typed.flags))
        // Codes of `?`, `!` and `@`: bash is about to show a list.
        const isShown = ['63', '33', '64'].includes(reason)
        const text = answerFor(shell, answer, { line, replaced, isShown })
        await context.plainPrinter().data(text, () => text)
      }),
    )
}
