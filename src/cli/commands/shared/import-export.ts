import { Option } from 'commander'
import { user } from '../../../api/resources.ts'
import type { ExportFlags } from '../../bulk/export.ts'
import { type ImportFlags, importFlags } from '../../bulk/read/import-flags.ts'
import { wholeNumber } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { concurrencyFlag, examples, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { roomsArgumentText } from '../../lists/room-arguments.ts'

const userIds = `${user.words.user_id}; repeatable, or - to read ids from standard input`

type Importable = 'users' | 'rooms' | 'members'

/** Adds the import of a group. Its code is loaded when it runs, so that other commands do not wait for it. */
export function importCommand(
  group: MeetroomCommand,
  act: DefineAction,
  name: Importable,
  words: { summary: string; description: string; examples: readonly string[] },
  flags = (command: MeetroomCommand) => command,
): void {
  const command = group
    .command('import')
    .summary(words.summary)
    .description(words.description)
    .argument('<file>', 'the file, or - for standard input')
  importFlags(flags(command)).action(
    act('writes', async (context, file: string, flags: ImportFlags) => {
      const { runImport } = await import('../../bulk/import.ts')
      await runImport(context, name, file, flags)
    }),
  )
  examples(command, ...words.examples)
}

/** Adds the export of a group. Import reads what it writes. */
export function exportCommand(
  group: MeetroomCommand,
  act: DefineAction,
  name: Importable,
  ...lines: readonly string[]
): void {
  const command = group
    .command('export')
    .summary(`Export ${name}`)
    .description(
      `Export ${name} as CSV, NDJSON or JSON (-o), in a form that import reads.` +
        (name === 'users' ? ' Access tokens are left out, unless --show-tokens is given.' : ''),
    )
  if (name === 'members')
    command
      .argument('[room...]', `rooms whose members to export: ${roomsArgumentText}`)
      .option('--all-rooms', 'export the members of every room')
      .addOption(
        new Option('--with <field>', 'look up when each member was last connected').choices(['last_seen']),
      )
  if (name === 'users') command.argument('[user...]', `users to export: ${userIds}`)
  if (name === 'rooms') command.argument('[room...]', `rooms to export: ${roomsArgumentText}`)
  command
    .addOption(new Option('--page-size <n>', 'items per request').argParser(wholeNumber('--page-size', 1)))
    .option(...whereOption)
  if (name === 'rooms') concurrencyFlag(command, 'number of rooms that --where looks into at once')
  command.action(
    act('reads', async (context, ...args: unknown[]) => {
      const flags = args.pop() as ExportFlags
      const { runExport } = await import('../../bulk/export.ts')
      await runExport(context, name, (args[0] ?? []) as string[], flags)
    }),
  )
  examples(command, ...lines)
}
