import { type Command, Option } from 'commander'
import type { ExportFlags } from '../bulk/export.ts'
import type { ImportFlags } from '../bulk/import-flags.ts'
import type { Act, Context } from '../context.ts'
import { examples, whereOption } from '../flags.ts'
import { wholeNumber } from '../input.ts'

/** Imports a file. What that takes is loaded when it is wanted: nobody else is to wait for it. */
export async function importFile(
  context: Context,
  name: 'users' | 'rooms' | 'members',
  file: string,
  flags: ImportFlags,
): Promise<void> {
  const { runImport } = await import('../bulk/import.ts')
  await runImport(context, name, file, flags)
}

/** Adds the export of a group. Import reads what it writes. */
export function exportCommand(
  group: Command,
  act: Act,
  name: 'users' | 'rooms' | 'members',
  example: string,
): void {
  const command = group
    .command('export')
    .summary(`Write all ${name} to a file`)
    .description(`Write ${name} as CSV, NDJSON or JSON (-o), for import to read again.`)
  if (name === 'members')
    command
      .argument('[room...]', 'rooms whose members are wanted')
      .option('--all-rooms', 'the members of every room')
  command
    .addOption(
      new Option('--page-size <n>', 'how many to ask for in one request').argParser(
        wholeNumber('--page-size', 1),
      ),
    )
    .option(...whereOption)
    .action(
      act(async (context, ...args: unknown[]) => {
        const flags = args.pop() as ExportFlags
        const { runExport } = await import('../bulk/export.ts')
        await runExport(context, name, (args[0] ?? []) as string[], flags)
      }),
    )
  examples(command, example)
}
