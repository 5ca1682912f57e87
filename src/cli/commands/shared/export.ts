import type { ExportFlags } from '../../import/export.ts'
import { createIntegerParser } from '../../input/input.ts'
import { createWhereOption, matchingMembers, matchingRooms, matchingUsers } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

const matchingItems = { users: matchingUsers, rooms: matchingRooms, members: matchingMembers }

interface ExportCommand {
  kind: 'users' | 'rooms' | 'members'
  note?: string
  flags: (command: MeetroomCommand) => MeetroomCommand
  examples: readonly string[]
}

export function defineExport(
  group: MeetroomCommand,
  { kind, note = '', flags: addFlags, examples: lines }: ExportCommand,
): MeetroomCommand {
  const command = group
    .command('export')
    .summary(`Export ${kind}`)
    .description(`Export ${kind} as CSV, NDJSON or JSON (-o), in the format of imports.${note}`)
  addFlags(command)
    .option('--page-size <n>', 'items per request', createIntegerParser('--page-size', 1))
    .option(...createWhereOption(matchingItems[kind]))
    .act('reads', async (context, ids: string[], flags: ExportFlags) => {
      const { runExport } = await import('../../import/export.ts')
      await runExport(context, kind, ids, flags)
    })
  command.addExamples(...lines)
  return command
}
