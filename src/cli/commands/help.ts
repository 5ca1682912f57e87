import type { Command } from 'commander'
import { suggestHelp, UsageError } from '../../errors.ts'
import { findTopic, readTopic, type Topic, topicSummaries } from '../help/topics.ts'
import type { DefineAction } from '../kernel/action.ts'
import type { Context } from '../kernel/context.ts'
import { addExamples } from '../kernel/flags.ts'
import { findCommand, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { readTerminalWidth, selectStyle } from '../output/terminal/style.ts'
import { own } from '../output/terminal/visible.ts'

const maxWidth = 90

export function defineHelp(help: MeetroomCommand, act: DefineAction): void {
  help.argument('[topic...]', `a command, or ${Object.keys(topicSummaries).join(', ')}`).action(
    act('machine', async (context, words: string[]) => {
      const root = help.parent as MeetroomCommand
      const topic = words.length === 1 ? findTopic(words[0] ?? '') : undefined
      if (topic) {
        if (topic !== words[0])
          await context.plainPrinter().notice(`the topic “${words[0]}” is now “${topic}”`)
        return printTopic(context, topic)
      }
      findHelpCommand(root, words).outputHelp()
    }),
  )
  addExamples(help, 'meetroom help where', 'meetroom help rooms list')
}

async function printTopic(context: Context, topic: Topic): Promise<void> {
  const { host, flags } = context
  const { renderMarkdown } = await import('../help/render-markdown.ts')
  const style = await selectStyle(host.stdout, host.env, flags.color)
  const width = Math.min(readTerminalWidth(host.stdout, host.env) ?? maxWidth, maxWidth)
  // Settings are not read, because help must work when they are invalid.
  const text = renderMarkdown(await readTopic(topic), style, width)
  await context.plainPrinter().write(own`${text}\n`)
}

function findHelpCommand(root: MeetroomCommand, words: readonly string[]): Command {
  let command: Command = root
  for (const word of words) {
    const next = findCommand(command, word)
    if (!next)
      throw new UsageError(`no help on “${words.join(' ')}”`, {
        hint: [
          `topics are ${Object.keys(topicSummaries).join(', ')}; list the commands with: `,
          suggestHelp(),
        ],
      })
    command = next
  }
  return command
}
