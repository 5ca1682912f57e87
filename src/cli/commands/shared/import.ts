import { type ImportFlags, importFlags } from '../../import/read/import-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

interface ImportCommand {
  kind: 'users' | 'rooms' | 'members'
  summary: string
  description: string
  flags: (command: MeetroomCommand) => MeetroomCommand
  examples: readonly string[]
}

export function defineImport(
  group: MeetroomCommand,
  { kind, summary, description, flags: addFlags, examples: lines }: ImportCommand,
): void {
  const command = group
    .command('import')
    .summary(summary)
    .description(description)
    .argument('<file>', 'file to import, or - for standard input')
  importFlags(addFlags(command), kind).act('writes', async (context, file: string, flags: ImportFlags) => {
    const { runImport } = await import('../../import/import.ts')
    await runImport(context, kind, file, flags)
  })
  command.addExamples(...lines)
}
