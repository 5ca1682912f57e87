import { version } from '../../version.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { Printed } from '../output/schemas/printed.ts'
import { createPage } from '../output/views/page.ts'

export function defineCommands(commands: MeetroomCommand): void {
  commands
    .description(
      'List every command. JSON output includes the arguments, flags, types, defaults, exit codes, examples and effects of each command.',
    )
    .act('machine', async (context) => {
      const { describeCommands } = await import('./schema/commands.ts')
      const { rowKinds } = await import('../output/views/rows.ts')
      const { describeFlag } = await import('./schema/flags.ts')
      const { exitCodes } = await import('../help/exit-codes.ts')
      const printer = await context.printer()
      printer.check(rowKinds.commands)
      const root = commands.parent as MeetroomCommand
      const items = describeCommands(root).map((facts) => ({ ...facts }))
      const rest = {
        version,
        global_flags: root.options.map(describeFlag),
        exit_codes: exitCodes,
      } satisfies Omit<Printed['commands'], 'commands'>
      await printer.list(rowKinds.commands, 'commands', createPage({ items, rest }))
    })
  commands.addExamples('meetroom commands', "meetroom commands --query 'commands[?writes].name' -o tsv")
}
