import { Command, CommanderError } from 'commander'
import { targetFlags } from '../../config/settings.ts'
import { globalFlags } from './flags.ts'

/** What has to be known of a command line before its command is loaded, or when it cannot be read. */
export interface CommandLine {
  /** Its words, for Commander. */
  argv: readonly string[]
  /** Names of commands and arguments: what is left without flags. */
  operands: readonly string[]
  json: boolean
  /** Value of `--output`. */
  output: string | undefined
  color: boolean
  ascii: boolean
  verbose: boolean
  /** The flags that select the service of this run again. */
  target: readonly string[]
  /** Why its global flags cannot be read. */
  problem: CommanderError | undefined
}

const helpFlags = ['-h', '--help']

/** Reads the global flags wherever they stand. */
export function readCommandLine(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const reader = globalFlags(new Command().exitOverride().configureOutput({ outputError: () => {} }))
  const end = words.indexOf('--')
  const isHelp = (word: string, i: number) => helpFlags.includes(word) && (end < 0 || i < end)
  const rest = words.filter((word, i) => !isHelp(word, i))
  let operands: readonly string[] = []
  let problem: CommanderError | undefined
  try {
    const parsed = reader.parseOptions([...rest])
    // An unknown flag in front hides the command.
    operands =
      parsed.operands.length > 0 ? parsed.operands : parsed.unknown.filter((word) => !word.startsWith('-'))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    problem = error
  }
  const { json, output, query, color, ascii, verbose, profile, local, baseUrl } = reader.opts()
  return {
    // `--help rooms list` means the same as `rooms list --help`; Commander would show the help of the whole.
    argv: rest.length < words.length && end < 0 ? [...rest, '--help'] : words,
    operands,
    json: json === true || (query !== undefined && output !== 'tsv'),
    output,
    color: color !== false,
    ascii: ascii === true,
    verbose: verbose === true,
    target: targetFlags({ profile, local, baseUrl }, env),
    problem,
  }
}
