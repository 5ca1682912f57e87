import { type Command, Option } from 'commander'
import { UsageError } from '../errors.ts'
import { type Act, whereOption } from './act.ts'
import type { ExportFlags } from './bulk/export.ts'
import type { InputFormat } from './bulk/rows.ts'
import { examples } from './command.ts'
import type { Context } from './context.ts'
import { collect, wholeNumber } from './input.ts'

/** How a command that does many things goes about it. */
export interface PaceFlags {
  concurrency: number
  rate?: number
  maxErrors?: number
  failFast?: boolean
}

/** Requests a second: `0.5` is one every other second. */
function perSecond(text: string): number {
  const value = /^\d{1,6}(\.\d+)?$/.test(text.replace(/\/s$/, ''))
    ? Number(text.replace(/\/s$/, ''))
    : Number.NaN
  if (!(value > 0)) throw new UsageError(`--rate takes a number a second above 0, as in 20, not “${text}”`)
  return value
}

/** Adds the flags of everything that does many things. */
export function paceFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--concurrency <n>', 'how many requests at once')
        .argParser(wholeNumber('--concurrency', 1, 256))
        .default(8),
    )
    .option('--rate <n>', 'begin no more than so many a second', perSecond)
    .option('--max-errors <n>', 'stop when more than so many have failed', wholeNumber('--max-errors', 0))
    .option('--fail-fast', 'stop at the first that fails')
}

/** What a command over several ids takes, beside the ids. */
export interface ManyFlags extends PaceFlags {
  where?: string[]
  max?: number
  ignoreNotFound?: boolean
}

/** Adds the flags of a command over several ids. */
export function manyFlags(command: Command): Command {
  return paceFlags(command.option(...whereOption))
    .option(
      '--max <n>',
      'refuse to do it to more than so many; with --yes needed above 20',
      wholeNumber('--max', 1),
    )
    .option('--ignore-not-found', 'what is not there is no failure')
}

/** What an import takes, beside the file. */
export interface ImportFlags extends PaceFlags {
  inputFormat?: InputFormat
  map?: string[]
  ifExists: 'overwrite' | 'skip' | 'fail'
  skipInvalid?: boolean
  /** `--no-journal` is false, `--journal FILE` a path. */
  journal?: string | boolean
  resume?: boolean
  failedOut?: string
  room?: string
  roomIds?: string
}

/** Adds the flags of an import. */
export function importFlags(command: Command): Command {
  return paceFlags(
    command
      .addOption(
        new Option('--input-format <format>', 'format of the file, where its name does not tell').choices([
          'csv',
          'ndjson',
          'json',
        ]),
      )
      .option(
        '--map <column=field>',
        "read a column as this field, or leave it out: 'Notes='; may be repeated",
        collect,
      )
      .addOption(
        new Option('--if-exists <what>', 'what to do with a row that is there already')
          .choices(['overwrite', 'skip', 'fail'])
          .default('fail'),
      )
      .option('--skip-invalid', 'leave out rows that cannot be sent, instead of sending nothing')
      .option('--failed-out <file>', 'write the rows that failed to this file, each with its reason')
      .option('--journal <file>', 'where to note what was sent (default: beside the file)')
      .option('--no-journal', 'keep no journal: a run that is cut off cannot be resumed')
      .option('--resume', 'go on with a run that was cut off'),
  )
}

/** Imports a file. What that takes is loaded when it is wanted: nobody else is to wait for it. */
export async function importFile(
  context: Context,
  name: 'users' | 'rooms' | 'members',
  file: string,
  flags: ImportFlags,
): Promise<void> {
  const { runImport } = await import('./bulk/import.ts')
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
        const { runExport } = await import('./bulk/export.ts')
        await runExport(context, name, (args[0] ?? []) as string[], flags)
      }),
    )
  examples(command, example)
}
