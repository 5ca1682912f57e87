import type { Command } from 'commander'
import { suggestHelp, UsageError } from '../../errors.ts'
import type { Act } from '../action.ts'
import { findCommand } from '../completion/line.ts'
import { examples } from '../flags.ts'
import { topics } from '../help-topics.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'

export function defineHelp(help: MeetroomCommand, act: Act): void {
  help.argument('[topic...]', `a command, or ${Object.keys(topics).join(', ')}`).action(
    act('machine', async (_, words: string[]) => {
      // Settings are not read: help must work when they are broken.
      const root = help.parent as MeetroomCommand
      const [first] = words
      if (words.length === 1 && first !== undefined && Object.hasOwn(topics, first)) {
        root.configureOutput().writeOut?.(`${topics[first as keyof typeof topics]}\n`)
        return
      }
      commandOf(root, words).outputHelp()
    }),
  )
  examples(help, 'meetroom help where', 'meetroom help rooms list')
}

function commandOf(root: MeetroomCommand, words: readonly string[]): Command {
  let command: Command = root
  for (const word of words) {
    const next = findCommand(command, word)
    if (!next)
      throw new UsageError(`no help on “${words.join(' ')}”`, {
        hint: [`topics are ${Object.keys(topics).join(', ')}; list the commands with: `, suggestHelp()],
      })
    command = next
  }
  return command
}
