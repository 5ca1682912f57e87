import type { Command, Option } from 'commander'

/** An option as a command line spells it: `['--rate', '20']`, `['--local']`. */
export type GivenOption = readonly [flag: string, ...value: string[]]

/** The options that stood on the command line of a command, global ones first. */
export function optionsFromCommandLine(command: Command): GivenOption[] {
  const inherited = command.parent ? optionsFromCommandLine(command.parent) : []
  return [...inherited, ...command.options.flatMap((option) => spelled(command, option))]
}

/** Once for each time that it was given. */
function spelled(command: Command, option: Option): GivenOption[] {
  const { long, negate } = option
  const name = option.attributeName()
  if (long === undefined || command.getOptionValueSource(name) !== 'cli') return []
  const value: unknown = command.getOptionValue(name)
  // `--journal FILE` and `--no-journal` are two options with one value.
  if (negate !== (value === false)) return []
  return negate || option.isBoolean() ? [[long]] : [value].flat().map((each) => [long, String(each)])
}
