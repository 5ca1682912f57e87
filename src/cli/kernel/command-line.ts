import { Command, CommanderError } from 'commander'
import type { SelectionFlags } from '../../config/selection.ts'
import { addGlobalFlags } from './flags.ts'

/** Parts of a command line that are needed before the command is loaded or if parsing fails. */
export interface CommandLine {
  argv: readonly string[]
  operands: readonly string[]
  json: boolean
  hasQuery: boolean
  output: string | undefined
  color: boolean
  ascii: boolean
  verbose: boolean
  selection: SelectionFlags
}

const helpFlags = ['-h', '--help']

export function readCommandLine(given: readonly string[]): CommandLine {
  const words = joinSortValue(given)
  const end = words.indexOf('--')
  const isHelp = (word: string, i: number) => helpFlags.includes(word) && (end < 0 || i < end)
  const rest = words.filter((word, i) => !isHelp(word, i))
  const { operands, flags } = parseGlobalFlags(rest)
  const { json, output, query, color, ascii, verbose, profile, local, baseUrl } = flags
  return {
    // Commander would print the root help for `--help rooms list`, so `--help` moves to the end.
    argv: rest.length < words.length && end < 0 ? [...rest, '--help'] : words,
    operands,
    json: json === true,
    hasQuery: query !== undefined,
    output,
    color: color !== false,
    ascii: ascii === true,
    verbose: verbose === true,
    selection: { profile, local, baseUrl },
  }
}

/** Joins `--sort` with a value such as `-online`, which Commander would read as `-o nline`. */
function joinSortValue(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--sort')
  const value = words[at + 1] ?? ''
  if (at < 0 || words.slice(0, at).includes('--') || !/^-\w{2}/.test(value)) return words
  return [...words.slice(0, at), `--sort=${value}`, ...words.slice(at + 2)]
}

/** Parses global flags without errors, because the program itself reports invalid values. */
function parseGlobalFlags(words: readonly string[]) {
  const reader = addGlobalFlags(new Command().exitOverride().configureOutput({ outputError: () => {} }))
  for (const option of reader.options) delete option.parseArg
  try {
    const { operands, unknown } = reader.parseOptions([...words])
    // After an unknown flag, Commander does not recognize operands.
    const found = operands.length > 0 ? operands : unknown.filter((word) => !word.startsWith('-'))
    return { operands: found, flags: reader.opts() }
  } catch (error) {
    // The last flag lacks its value and is therefore omitted.
    if (error instanceof CommanderError && words.length > 0) return parseGlobalFlags(words.slice(0, -1))
    throw error
  }
}
