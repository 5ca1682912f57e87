import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Act } from '../act.ts'
import { topics } from '../topics.ts'

export function defineHelp(help: Command, act: Act): void {
  help.argument('[topic...]', `a command, or ${Object.keys(topics).join(', ')}`).action(
    act(async (context, words: string[]) => {
      const printer = await context.printer()
      const [first] = words
      if (words.length === 1 && first !== undefined && Object.hasOwn(topics, first))
        return printer.write(`${topics[first as keyof typeof topics]}\n`)
      let command = help.parent as Command
      for (const word of words) {
        const next = command.commands.find((known) => known.name() === word || known.aliases().includes(word))
        if (!next)
          throw new UsageError(`no help on “${words.join(' ')}”`, {
            hint: `topics are ${Object.keys(topics).join(', ')}; commands are listed by: meetroom --help`,
          })
        command = next
      }
      command.outputHelp()
    }),
  )
}
