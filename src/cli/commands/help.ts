import type { Command } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { suggest, suggestHelp, UsageError } from '../../errors.ts'
import { findTopic, readTopic, type Topic, topicSummaries } from '../help/topics.ts'
import type { Context } from '../kernel/context.ts'
import { findCommand, findSubcommand, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { readTerminalWidth, selectStyle } from '../output/terminal/style.ts'
import { own, visibleLines } from '../output/terminal/visible.ts'

const maxWidth = 90

export function defineHelp(help: MeetroomCommand): void {
  help
    .argument('[topic...]', `command or topic: ${Object.keys(topicSummaries).join(', ')}`)
    .act('machine', async (context, words: string[]) => {
      const root = help.parent as MeetroomCommand
      const [word = '', ...more] = words
      // An alias of a group has the same topic as the group.
      const topic =
        more.length === 0 ? (findTopic(word) ?? findTopic(findCommand(root, word)?.name() ?? '')) : undefined
      if (topic) {
        if (findTopic(word) && topic !== word)
          await context.plainPrinter().notice(`the topic “${word}” is now “${topic}”`)
        return printTopic(context, topic)
      }
      const command = findSubcommand(root, words)
      if (command) return command.outputHelp()
      if (!(await printSections(context, words))) throw noHelp(root, words)
    })
  help.addExamples('meetroom help where', 'meetroom help rooms list', 'meetroom help exit code 8')
}

async function printTopic(context: Context, topic: Topic): Promise<void> {
  const { host, flags } = context
  const { renderMarkdown } = await import('../help/render-markdown.ts')
  const style = await selectStyle(host.stdout, host.env, flags.color)
  const width = Math.min(readTerminalWidth(host.stdout, host.env) ?? maxWidth, maxWidth)
  // Reads no settings, because help must work with invalid settings.
  const text = renderMarkdown(await readTopic(topic), style, width)
  await context.plainPrinter().write(own`${text}\n`)
}

async function printSections(context: Context, words: readonly string[]): Promise<boolean> {
  const { host } = context
  const { searchTopics } = await import('../help/search.ts')
  const found = await searchTopics(words, await selectStyle(host.stdout, host.env, false))
  if (found.length === 0) return false
  const width = Math.max(...found.map(({ topic }) => topic.length))
  const lines = found.map(({ topic, heading }) => `meetroom help ${topic.padEnd(width)}  ${heading}`)
  await context
    .plainPrinter()
    .write(visibleLines(`“${words.join(' ')}” is explained in:\n\n${lines.join('\n')}\n`))
  return true
}

function noHelp(root: Command, words: readonly string[]): UsageError {
  const names = [...Object.keys(topicSummaries), ...root.commands.map((command) => command.name())]
  const near = findClosest(words[0] ?? '', names)
  return new UsageError(`no help on “${words.join(' ')}”`, {
    hint:
      near === undefined
        ? ['list the topics and commands with: ', suggestHelp()]
        : ['did you mean: ', suggest(['help', near])],
  })
}
