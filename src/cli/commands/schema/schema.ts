import type { Command } from 'commander'
import { suggest, UsageError } from '../../../errors.ts'
import { findSubcommand, type MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { visibleJson } from '../../output/terminal/visible.ts'

/** Resolves aliases: `room ls` becomes `rooms list`. */
function fullName(root: Command, words: readonly string[]): string {
  const names = words.map((word, i) => findSubcommand(root, words.slice(0, i + 1))?.name() ?? word)
  return names.join(' ')
}

export function defineSchema(schema: MeetroomCommand): void {
  schema
    .description(
      'Print the JSON Schema of a command’s JSON output, of errors (“error”) or workspace files (“workspace”). Without an argument, prints all schemas. Services can add fields, and can omit any field except IDs.',
    )
    .argument('[command...]', 'command such as rooms list, or error, or workspace')
    .act('machine', async (context, words: string[]) => {
      const { createErrorSchema, createWorkspaceFileSchema, listOutputSchemas } = await import(
        './output-schemas.ts'
      )
      const root = schema.parent as MeetroomCommand
      const all = listOutputSchemas(root)
        .set('error', createErrorSchema)
        .set('workspace', createWorkspaceFileSchema)
      const name = fullName(root, words)
      const createAll = () => Object.fromEntries([...all].map(([name, create]) => [name, create()]))
      const document = name === '' ? { $defs: createAll() } : all.get(name)?.()
      const [example] = [...all.keys()].filter((command) => command.startsWith(`${name} `))
      if (!document && example)
        throw new UsageError(`“${name}” is a group of commands`, {
          hint: ['name one of its commands, as in: ', suggest(['schema', ...example.split(' ')])],
        })
      if (!document)
        throw new UsageError(
          findSubcommand(root, name.split(' ')) ? `“${name}” does not print JSON` : `no command “${name}”`,
          {
            hint: ['list the schemas with: ', suggest(['schema', '--query', 'keys("$defs")'])],
          },
        )
      const printer = await context.printer()
      if (printer.options.query) return printer.result(document)
      await printer.data(`${JSON.stringify(document, null, 2)}\n`, visibleJson)
    })
  schema.addExamples('meetroom schema rooms list', 'meetroom schema error', 'meetroom schema > schemas.json')
}
