import { Command, CommanderError } from 'commander'
import { readTargetFlags } from '../../config/settings.ts'
import { addGlobalFlags } from './flags.ts'

/** Parts of a command line that are needed before its command is loaded, or if it cannot be parsed. */
export interface CommandLine {
  argv: readonly string[]
  operands: readonly string[]
  json: boolean
  output: string | undefined
  color: boolean
  ascii: boolean
  verbose: boolean
  target: readonly string[]
  problem: CommanderError | undefined
}

const helpFlags = ['-h', '--help']

export function readCommandLine(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const reader = addGlobalFlags(new Command().exitOverride().configureOutput({ outputError: () => {} }))
  const end = words.indexOf('--')
  const isHelp = (word: string, i: number) => helpFlags.includes(word) && (end < 0 || i < end)
  const rest = words.filter((word, i) => !isHelp(word, i))
  let operands: readonly string[] = []
  let problem: CommanderError | undefined
  try {
    const parsed = reader.parseOptions([...rest])
    // After an unknown flag, Commander does not recognize operands.
    operands =
      parsed.operands.length > 0 ? parsed.operands : parsed.unknown.filter((word) => !word.startsWith('-'))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    problem = error
  }
  const { json, output, query, color, ascii, verbose, profile, local, baseUrl } = reader.opts()
  return {
    // Commander would print the root help for `--help rooms list`, which should act as `rooms list --help`.
    argv: rest.length < words.length && end < 0 ? [...rest, '--help'] : words,
    operands,
    json: json === true || (query !== undefined && output !== 'tsv'),
    output,
    color: color !== false,
    ascii: ascii === true,
    verbose: verbose === true,
    target: readTargetFlags({ profile, local, baseUrl }, env),
    problem,
  }
}
